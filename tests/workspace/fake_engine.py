"""Stands in for docker where there is none: `run` in bubblewrap, whose first process is nobody's child either.

As the real one it is a client: what it starts goes on without it, in a session of its own, until its standard
input closes or the command ends.
"""

import os
import subprocess
import sys

FLAGS = {"--rm", "--interactive", "--init", "--read-only"}


def understood(words):
    """Return (mounts by their place, what is set, the command) of the words after `run`."""
    env, volumes, rest = [], [], iter(words)
    for word in rest:
        if word in FLAGS:
            continue
        if not word.startswith("--"):
            break  # the image
        value = next(rest)
        if word == "--volume":
            source, place, mode = value.rsplit(":", 2)
            volumes.append((place, ["--bind" if mode == "rw" else "--ro-bind", source, place]))
        elif word == "--tmpfs":
            volumes.append((value.partition(":")[0], ["--tmpfs", value.partition(":")[0]]))
        elif word == "--env":
            name, given, text = value.partition("=")
            if given or name in os.environ:
                env += ["--setenv", name, text if given else os.environ[name]]
        elif word == "--workdir":
            env += ["--chdir", value]
    return volumes, env, list(rest)


def main(words):
    if words[0] == "info" or words[:2] == ["image", "inspect"]:
        asked = " ".join(words)
        if asked in os.environ.get("FAKE_ENGINE_REFUSES", "none"):
            print("Cannot connect to the daemon", file=sys.stderr)
            return 1
        return 0
    bwrap = ["bwrap", "--unshare-all", "--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev"]
    for path in ("/usr", "/etc/alternatives", "/etc/ld.so.cache"):
        bwrap += ["--ro-bind", path, path]
    for name in ("bin", "lib", "lib64", "sbin"):
        bwrap += ["--symlink", f"usr/{name}", f"/{name}"]
    volumes, env, rest = understood(words[1:])
    for _, mount in sorted(volumes, key=lambda each: each[0].count("/")):
        bwrap += mount
    argv = [*bwrap, "--remount-ro", "/proc", "--remount-ro", "/", "--clearenv", *env, "--", *rest]
    return subprocess.run(argv, check=False, start_new_session=True).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
