"""Every benchmark, one after the other, so that no two share the machine."""

import append
import cell_cost
import cli_start
import frames
import leaks
import mutation
import query
import redaction
import sandbox_start
import scan
import seal
import trees
import verify_claims
import verify_store
import whole_run


def main():
    for script in (
        cli_start, verify_claims, mutation, scan, verify_store, whole_run, sandbox_start, cell_cost, frames, leaks, query, append, seal, redaction, trees,
    ):  # fmt: skip
        print(f"\n## {script.__name__}")
        script.main()


if __name__ == "__main__":
    main()
