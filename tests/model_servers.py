"""Small scripted model servers on loopback: OpenAI's and Ollama's shapes, well behaved or not."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


@dataclass
class ModelServer:
    """Answers requests with the scripted replies, in order; the last one for ever."""

    replies: list[Reply]
    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def next(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        reply = self.replies[min(len(self.bodies), len(self.replies) - 1)]
        self.bodies.append(body)
        self.paths.append(handler.path)
        self.keys.append(handler.headers.get("authorization", ""))
        reply(handler, body)


@contextmanager
def model_server(*replies: Reply) -> Iterator[ModelServer]:
    served = ModelServer(list(replies))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            served.next(self, body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        server.server_close()


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes, kind: str = "application/json") -> None:
    handler.send_response(status)
    handler.send_header("content-type", kind)
    handler.send_header("connection", "close")
    handler.end_headers()
    handler.wfile.write(body)
    handler.close_connection = True


def completion(text: str) -> Reply:
    """A whole answer in OpenAI's shape."""
    whole = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "x",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16},
    }
    return lambda handler, _: send(handler, 200, json.dumps(whole).encode())


def chunk(text: str | None, finish: str | None = None) -> bytes:
    delta = {} if text is None else {"role": "assistant", "content": text}
    part = {
        "id": "c1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "x",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
    }
    return b"data: " + json.dumps(part).encode() + b"\n\n"


USAGE = (
    b'data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"x","choices":[],'
    b'"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}\n\n'
)


def stream(*texts: str, finish: str | None = "stop", end: bytes = USAGE + b"data: [DONE]\n\n") -> Reply:
    """An answer in pieces; without `finish` it breaks off."""
    parts = b"".join(chunk(text) for text in texts)
    if finish:
        parts += chunk(None, finish) + end
    return lambda handler, _: send(handler, 200, parts, "text/event-stream")


def failure(status: int, text: str = "slow down") -> Reply:
    body = json.dumps({"error": {"message": text, "type": "x", "code": None}}).encode()
    return lambda handler, _: send(handler, status, body)


def hang_up(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
    handler.close_connection = True
    handler.connection.close()


def ollama_reply(*texts: str, done: bool = True) -> Reply:
    lines = [
        {
            "model": "y",
            "created_at": "2024-01-01T00:00:00Z",
            "message": {"role": "assistant", "content": t},
            "done": False,
        }
        for t in texts
    ]
    if done:
        end = {
            "model": "y",
            "created_at": "2024-01-01T00:00:00Z",
            "message": {"role": "assistant", "content": ""},
        }
        lines.append({**end, "done": True, "done_reason": "stop", "prompt_eval_count": 9, "eval_count": 4})
    body = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
    return lambda handler, _: send(handler, 200, body, "application/x-ndjson")
