"""A small object store that speaks as much of S3 as Polars asks for: lists, heads and ranges, with signed requests."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

ENTRY = (
    "<Contents><Key>{key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>e</ETag>"
    "<Size>{size}</Size></Contents>"
)
KEY = "canary-access-key"
CLOSED = "closed"  # a bucket that no key opens


@contextmanager
def s3(objects: dict[str, bytes]) -> Iterator[dict[str, str]]:
    """Serve `objects` (bucket/key to bytes); gives the environment by which a client finds the store."""

    class Store(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_words: object) -> None:
            pass

        def do_GET(self) -> None:
            asked = urlsplit(self.path)
            path, query = unquote(asked.path).strip("/"), parse_qs(asked.query)
            if path.startswith(CLOSED) or f"Credential={KEY}/" not in self.headers.get("Authorization", ""):
                self._answer(403, b"")
            elif "list-type" in query:
                self._answer(200, _listed(objects, path, query.get("prefix", [""])[0]))
            elif path not in objects:
                self._answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
            else:
                self._part(objects[path])

        do_HEAD = do_GET

        def _part(self, content: bytes) -> None:
            found = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
            if found is None:
                self._answer(200, content)
                return
            last = min(int(found[2]), len(content) - 1) if found[1] and found[2] else len(content) - 1
            first = int(found[1]) if found[1] else max(len(content) - int(found[2]), 0)
            self._answer(206, content[first : last + 1], f"bytes {first}-{last}/{len(content)}")

        def _answer(self, status: int, content: bytes, of: str = "") -> None:
            self.send_response(status)
            self.send_header("ETag", "e")
            self.send_header("Last-Modified", "Thu, 01 Jan 2026 00:00:00 GMT")
            if of:
                self.send_header("Content-Range", of)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Store)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_port}",
            "AWS_ALLOW_HTTP": "true",
            "AWS_ACCESS_KEY_ID": KEY,
            "AWS_SECRET_ACCESS_KEY": "canary-secret-key",
            "AWS_REGION": "eu-west-1",
        }
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _listed(objects: dict[str, bytes], bucket: str, prefix: str) -> bytes:
    inside = {name.removeprefix(f"{bucket}/"): content for name, content in objects.items()}
    entries = "".join(
        ENTRY.format(key=key, size=len(content)) for key, content in inside.items() if key.startswith(prefix)
    )
    return f"<ListBucketResult><IsTruncated>false</IsTruncated>{entries}</ListBucketResult>".encode()
