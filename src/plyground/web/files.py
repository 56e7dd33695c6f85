"""The files of the page, from memory: a browser asks for some thirty of them before the page can be used."""

from __future__ import annotations

import hashlib
from mimetypes import guess_type
from pathlib import Path
from typing import Any, NamedTuple

from fastapi import Response
from starlette.datastructures import Headers

from .middleware import failed

TYPES = {  # whatever the system thinks of them
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}


class CachedFile(NamedTuple):
    """A file as it was at a time."""

    time: int
    body: bytes
    tag: str


class Files:
    """An application that serves the files that a folder held at the start, and nothing else."""

    def __init__(self, folder: Path) -> None:
        self.paths = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
        self._cached: dict[str, CachedFile] = {}

    def version(self) -> str:
        """Another one whenever a file has changed."""
        times = [(name, path.stat().st_mtime_ns) for name, path in sorted(self.paths.items())]
        return hashlib.sha256(repr(times).encode()).hexdigest()[:16]

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        name = scope["path"].removeprefix(scope.get("root_path", "")).removeprefix("/")
        await self.answer(name, Headers(scope=scope).get("if-none-match"))(scope, receive, send)

    def answer(self, name: str, known: str | None = None) -> Response:
        """A file by its name, or nothing but a word if the browser knows it already."""
        path = self.paths.get(name)
        if path is None or not path.is_file():
            return failed(404, f"there is no file {name[:100]!r}")
        time = path.stat().st_mtime_ns
        cached = self._cached.get(name)
        if cached is None or cached.time != time:
            body = path.read_bytes()
            cached = self._cached[name] = CachedFile(time, body, f'"{hashlib.sha256(body).hexdigest()[:16]}"')
        if known == cached.tag:
            return Response(status_code=304, headers={"ETag": cached.tag})
        media = TYPES.get(path.suffix) or guess_type(name)[0]
        return Response(cached.body, media_type=media, headers={"ETag": cached.tag})
