"""Requests and messages to the server of the page, drawn from its own schemas."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any
from urllib.parse import quote

from hypothesis import strategies as st
from pydantic import TypeAdapter

from ..web.requests import Match, Open, Review, Solve, Steps, Stop, Think
from .specs import MOVES, positions, specs
from .texts import texts

MOST = 6  # messages of one socket
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "game": specs("game"),
    "agent": specs("agent"),
    "agents": st.lists(specs("agent"), min_size=1, max_size=3),
    "moves": st.lists(st.sampled_from(MOVES), max_size=4),
    "move": st.sampled_from(MOVES),
    "start": positions(),
    "cells": st.lists(st.integers(-1, 3), max_size=16),
    "seconds": st.sampled_from([0, 0.01, 0.02, -1, 61, None]),
    "simulations": st.integers(1, 10),
    "games": st.integers(1, 2),
    "skip": st.integers(0, 10),
    "count": st.integers(1, 5),
    "after": st.integers(0, 10),
    "since": st.integers(0, 3),
    "name": st.one_of(st.sampled_from(["a-study", "dqn", "..", "%2e%2e", "a/b", "\x00"]), texts()),
    "id": st.one_of(st.integers(0, 5), st.just(2**53)),
    "of": st.integers(0, 5),
    "path": st.lists(st.sampled_from(MOVES), max_size=2),
}
JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), texts(8)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=6,
)


def of_schema(schema: dict[str, Any], components: dict[str, Any], name: str = "") -> st.SearchStrategy[Any]:
    """Values that a JSON schema allows, and now and then others; those of known names most often make sense."""
    if "$ref" in schema:
        return of_schema(components[schema["$ref"].rsplit("/", 1)[-1]], components, name)
    if name in FIELDS:
        return st.one_of(*[FIELDS[name]] * 8, JSON)
    if "anyOf" in schema:
        return st.one_of([of_schema(one, components) for one in schema["anyOf"]])
    if "const" in schema or "enum" in schema:
        return st.sampled_from(schema.get("enum") or [schema["const"]])
    kind = schema.get("type")
    if kind == "object":
        return objects(schema, components)
    if kind == "array":
        inner = of_schema(schema.get("items", {}), components)
        return st.one_of(st.lists(inner, max_size=4), JSON)
    low, high = schema.get("minimum"), schema.get("maximum")
    sense = {
        "string": texts(),
        "integer": st.integers(low, high),
        "number": st.floats(low, high, allow_nan=False),
        "boolean": st.booleans(),
        "null": st.none(),
    }.get(kind or "", JSON)
    return st.one_of(sense, sense, sense, JSON)


def objects(schema: dict[str, Any], components: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Objects of a schema; rarely one that lacks something, or has something more."""
    known = {name: of_schema(one, components, name) for name, one in schema.get("properties", {}).items()}
    needed = {name: value for name, value in known.items() if name in schema.get("required", ())}
    rest = {name: value for name, value in known.items() if name not in needed}
    whole = st.fixed_dictionaries(needed, optional=rest)
    torn = st.fixed_dictionaries({}, optional=known)
    more = st.tuples(whole, st.dictionaries(st.text(max_size=5), JSON, max_size=2)).map(lambda both: both[1] | both[0])
    return st.one_of(*[whole] * 8, torn, more)


def bodies(schema: dict[str, Any], components: dict[str, Any]) -> st.SearchStrategy[bytes]:
    """The bytes of a message."""
    sense = of_schema(schema, components).map(lambda value: json.dumps(value).encode())
    nonsense = st.sampled_from(
        [b"", b"{", b"null", b"[]", b"[" * 60_000, b"9" * 5000, b'"\\ud800"', b"\xff\xfe", b"{}" * 40_000]
    )
    torn = st.tuples(sense, st.integers(0, 400)).map(lambda both: both[0][: both[1]])
    return st.one_of(*[sense] * 10, torn, nonsense, st.binary(max_size=40))


def requests(schema: dict[str, Any]) -> Any:
    """Requests that the schema describes, and others."""
    components = schema.get("components", {}).get("schemas", {})
    json_type = (b"content-type", b"application/json")
    odd_headers = st.one_of(
        st.just([json_type]),
        st.just([json_type]),
        st.just([json_type]),
        st.sampled_from([[], [(b"content-type", b"text/plain")], [(b"origin", b"http://evil.example")]]),
        st.sampled_from(
            [[json_type, (b"content-length", b"-1")], [(b"if-none-match", b"\xff")], [(b"cookie", b"=;\x01")]]
        ),
    )
    found = []
    for path, operations in schema["paths"].items():
        for method, told in operations.items():
            query, filled = st.just(b""), st.just(path)
            for parameter in told.get("parameters", ()):
                name = parameter["name"]
                value = st.one_of(FIELDS.get(name, texts()), texts())
                if parameter["in"] == "query":
                    query = st.one_of(value.map(partial(in_query, name)), query)
                else:
                    filled = value.map(partial(in_path, path, name))
            body = st.just(b"")
            if "requestBody" in told:
                body = bodies(told["requestBody"]["content"]["application/json"]["schema"], components)
            methods = st.one_of(
                *[st.just(method.upper())] * 20, st.sampled_from(["GET", "POST", "PUT", "HEAD", "OPTIONS", "X"])
            )
            parts = {"path": filled, "query": query, "body": body, "headers": odd_headers, "method": methods}
            found.append(st.fixed_dictionaries(parts))
    anywhere = texts().map(lambda path: "/" + path)
    files = st.sampled_from(
        ["/", "/docs", "/static/app.js", "/static/../server.py", "/static/%2e%2e/x", "/views/", "/favicon.ico"]
    )
    other = {"path": st.one_of(files, anywhere), "query": st.binary(max_size=20), "body": st.just(b"")}
    found.append(
        st.fixed_dictionaries({**other, "headers": odd_headers, "method": st.sampled_from(["GET", "HEAD", "POST"])})
    )
    return st.one_of(found)


def in_query(name: str, value: Any) -> bytes:
    return f"{name}={quote(str(value), errors='replace')}".encode()


def in_path(path: str, name: str, value: Any) -> str:
    return re.sub(r"\{" + name + r"(:path)?\}", lambda _: str(value), path)


def conversations(schema: dict[str, Any]) -> Any:
    """The messages of one socket."""
    kinds = []
    for kind in (Think, Think, Think, Solve, Match, Steps, Review, Stop, Open):
        described = TypeAdapter(kind).json_schema()
        kinds.append(bodies(described, described.get("$defs", {})))
    text = st.one_of(kinds).map(lambda body: body.decode("utf-8", "replace"))
    return st.lists(st.one_of(*[text] * 12, st.binary(max_size=20)), min_size=1, max_size=MOST)
