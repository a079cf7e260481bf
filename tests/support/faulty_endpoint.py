"""The process behind `fault_server`: an endpoint that answers, fails or waits as it is told.

python -m tests.support.faulty_endpoint --log calls.jsonl --latency 0.05
    --fault 500=0.05 --fault hang=0.01   (one line)
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import re
import socket
import time
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.support.fault_server import FAULTS, HUGE_BYTES
from tests.support.plausible_answers import completion, embedding, escaped, is_probe, schema_name

PATHS = ("/v1/chat/completions", "/v1/embeddings")
# A request can order its fault: "FAULT 500 once", "FAULT hang always".
ORDERED = re.compile(r"FAULT (\w+) (once|always)")


class FaultyEndpoint:
    """What the server remembers: how often it saw each request, and how many are in flight."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.shares = [(n, float(s)) for n, s in (f.split("=") for f in options.fault)]
        unknown = [name for name, _ in self.shares if name not in FAULTS]
        assert not unknown, f"no faults {unknown}"
        self.seen: Counter[str] = Counter()
        self.count = self.in_flight = 0
        self.log = Path(options.log).open("a", encoding="utf-8", buffering=1)  # noqa: SIM115

    def write(self, line: dict[str, Any]) -> None:
        self.log.write(json.dumps(line) + "\n")

    @property
    def is_down(self) -> bool:
        """After so many requests; -1 is from the first."""
        return bool(self.options.down_after) and self.count > self.options.down_after

    def fault_of(self, identity: str, asked: str) -> str:
        if self.is_down:
            return str(self.options.down)
        if ordered := ORDERED.search(asked):
            return ordered[1] if ordered[2] == "always" or self.seen[identity] == 1 else ""
        place, rest = _fraction(identity, "fault"), 0.0
        for name, share in self.shares:
            rest += share
            if place < rest:
                is_lasting = _fraction(identity, "lasting") < self.options.lasting
                return name if is_lasting or self.seen[identity] == 1 else ""
        return ""

    async def answer(self, request: Request) -> Response:
        """Answer a request, or fail as its content says, and log it."""
        try:
            raw = await request.body()
        except ClientDisconnect:  # killed while it sent
            return Response(status_code=499)
        body = json.loads(raw)
        self.count += 1
        self.in_flight += 1
        call = self._described(request, body, raw)
        try:
            await self._wait_at_the_gate(call)
            if self.options.latency:
                await asyncio.sleep(self.options.latency)
            response = await self._respond(request, body, call)
            call["status"] = response.status_code
            return response
        finally:
            self.in_flight -= 1
            if call["fault"] != "hang":
                self.write(call)

    def _described(self, request: Request, body: dict[str, Any], raw: bytes) -> dict[str, Any]:
        """The line of the log, as far as it is known before the answer."""
        identity = _identity(body)
        self.seen[identity] += 1
        messages = body.get("messages", [])
        is_first = is_probe(body) and not self.is_down
        return {
            "time": time.time(),
            "identity": identity,
            "body_hash": hashlib.sha256(raw).hexdigest()[:16],
            "fault": "" if is_first else self.fault_of(identity, raw.decode()),
            "in_flight": self.in_flight,
            "is_probe": is_probe(body),
            "is_paid": False,
            "is_repair": len(messages) > 1 and messages[-2]["role"] == "assistant",
            "schema": schema_name(body),
            "authorization": request.headers.get("authorization", ""),
            "messages": [] if self.options.brief else messages,
            "parameters": {n: p for n, p in body.items() if n not in ("messages", "input")},
            "status": 0,
        }

    async def _wait_at_the_gate(self, call: dict[str, Any]) -> None:
        if 0 <= self.options.gate_after < self.count and not self.options.gate.exists():
            self.write({"held": call["body_hash"]})
            while not self.options.gate.exists():
                await asyncio.sleep(0.01)

    async def _respond(
        self, request: Request, body: dict[str, Any], call: dict[str, Any]
    ) -> Response:
        fault, key = call["fault"], call["authorization"].removeprefix("Bearer ")
        if fault == "hang":
            # Until the client has enough of it; logged now, because that is not noticed at once.
            self.write(call | {"status": 499})
            while not await request.is_disconnected():
                await asyncio.sleep(0.05)
            return Response(status_code=499)
        if fault == "reset":
            request.receive.__self__.transport.abort()  # type: ignore[attr-defined]
            return Response(status_code=499)
        if refused := self._refusal(fault, key):
            return refused
        if "messages" in body:
            content = completion(body, fault, key)
        else:
            content = embedding(body, self.options.dimensions)
        text = json.dumps(content)
        if fault == "escaped_refusal":
            text = text.replace(key, escaped(key))
        call |= {"is_paid": True, "usage": content.get("usage", {})}
        if fault == "half_body":
            return Response(text[: len(text) // 2], media_type="application/json")
        if fault == "huge":
            return StreamingResponse(self._huge(text, request), media_type="application/json")
        if fault == "drip":
            return StreamingResponse(_drip(text), media_type="application/json")
        headers = {"X-Echo": key} if "echo" in fault else None
        return Response(text, media_type="application/json", headers=headers)

    def _refusal(self, fault: str, key: str) -> Response | None:
        """The response of a fault that no model was asked for; None for the others."""
        if fault == "429":
            wait = {"Retry-After": self.options.retry_after}
            if self.options.retry_after == "ms":
                wait = {"retry-after-ms": "30"}
            return _error(429, "rate_limit_exceeded", f"too many requests for {key}", wait)
        if fault == "quota":
            return _error(429, "insufficient_quota", f"no credit for {key}")
        if fault in ("500", "400", "401", "403", "404"):
            return _error(int(fault), "fault", f"something is wrong with {key}")
        if fault == "filter":
            return _error(400, "content_filter", "the prompt was filtered")
        if fault == "html":
            return Response("<html>Welcome</html>", media_type="text/html")
        return None

    async def _huge(self, text: str, request: Request) -> AsyncIterator[bytes]:
        yield text.encode()[:-2]
        for sent in range(0, HUGE_BYTES, 65536):
            if await request.is_disconnected():
                return
            yield b" " * 65536
            self.write({"sent_of_huge": sent + 65536})
        yield text.encode()[-2:]


def _fraction(identity: str, purpose: str) -> float:
    return int(hashlib.sha256(f"{purpose} {identity}".encode()).hexdigest()[:12], 16) / 16**12


def _identity(body: dict[str, Any]) -> str:
    """What is asked, whatever was said about it since: a repair is the same question."""
    asked = body["messages"] if "messages" in body else body["input"]
    if isinstance(asked, list):
        roles = [message["role"] for message in asked]
        asked = asked[: roles.index("assistant")] if "assistant" in roles else asked
    return hashlib.sha256(json.dumps([body["model"], asked]).encode()).hexdigest()[:16]


def _error(status: int, code: str, message: str, headers: Any = None) -> Response:
    error = {"message": message, "code": code, "type": "fault"}
    return JSONResponse({"error": error}, status_code=status, headers=headers)


async def _drip(text: str) -> AsyncIterator[bytes]:
    for letter in text:
        yield letter.encode()
        await asyncio.sleep(0.2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", default=os.devnull)
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--lasting", type=float, default=0.5)
    parser.add_argument("--dimensions", type=int, default=64)
    parser.add_argument("--down-after", type=int, default=0)
    parser.add_argument("--down", default="hang")
    parser.add_argument("--retry-after", default="ms")
    parser.add_argument("--brief", action="store_true", help="log no messages")
    parser.add_argument("--gate", type=Path, default=Path(os.devnull))
    parser.add_argument("--gate-after", type=int, default=-1)
    parser.add_argument("--fault", action="append", default=[])
    options = parser.parse_args()
    listener = socket.create_server(("127.0.0.1", options.port), backlog=512)
    endpoint = FaultyEndpoint(options)
    app = Starlette(routes=[Route(path, endpoint.answer, methods=["POST"]) for path in PATHS])
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/v1", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False)).run(sockets=[listener])


if __name__ == "__main__":
    main()
