"""A fake OpenAI-compatible server with faults, in a process of its own, for tests.

    python -m tests.support.fault_server --log calls.jsonl --latency 0.05
        --fault 500=0.05 --fault hang=0.01   (one line)

Which request meets which fault follows from its content alone; a share of the faults (--lasting)
stays, the others come on the first try only. Answers are plausible and deterministic: they are read
off the prompt by simple rules. Every request is one line of the log.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import itertools
import json
import math
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from udfs.endpoint.requests import PROBE
from udfs.english.lexicon import word_set

REPO = Path(__file__).resolve().parents[2]
FAULTS = (
    "429", "500", "hang", "half", "half_body", "schema", "refusal", "huge", "reset", "drip",
    "empty", "length", "echo", "400", "401", "403", "404", "quota", "html", "no_usage", "fenced",
    "escaped_echo", "filter", "escaped_refusal",
)  # fmt: skip
# Far more than the buffers of a connection hold, so that who stops reading is seen to.
HUGE_BYTES = 100_000_000


# -- from the outside ----------------------------------------------------------------------------


@dataclass
class FaultServer:
    """A running server: where it listens, its process, and what it was asked so far."""

    base_url: str
    process: subprocess.Popen[str]
    log_path: Path

    @property
    def calls(self) -> list[dict[str, Any]]:
        """The requests: identity, body_hash, fault, status, is_paid, usage, is_probe, in_flight."""
        if not self.log_path.exists():
            return []
        lines = self.log_path.read_text(encoding="utf-8").splitlines()
        calls = [json.loads(line) for line in lines if line.endswith("}")]
        return [call for call in calls if "identity" in call]

    def sent_of_huge(self) -> int:
        """The most bytes of a huge answer that a client took."""
        lines = self.log_path.read_text(encoding="utf-8").splitlines()
        return max(json.loads(line).get("sent_of_huge", 0) for line in lines)

    @property
    def paid(self) -> Counter[str]:
        """How often each distinct request was answered with a completion, probes left out."""
        answered = (call for call in self.calls if call["is_paid"] and not call["is_probe"])
        return Counter(call["body_hash"] for call in answered)

    @property
    def peak_in_flight(self) -> int:
        return max((call["in_flight"] for call in self.calls), default=0)

    def stop(self) -> None:
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def fault_server(
    folder: Path,
    *,
    latency: float = 0.0,
    lasting: float = 0.5,
    port: int = 0,
    dimensions: int = 64,
    down_after: int = 0,
    down: str = "hang",
    retry_after: str = "ms",
    brief: bool = False,
    **faults: float,
) -> Iterator[FaultServer]:
    """A server while the block runs; `faults` are shares of the requests, as `f500=0.05`."""
    log_path = folder / "fault_server.jsonl"
    shares = {name.removeprefix("f"): share for name, share in faults.items()}
    shares = {name if name in FAULTS else "f" + name: share for name, share in shares.items()}
    arguments = ["--log", str(log_path), "--latency", str(latency), "--lasting", str(lasting)]
    arguments += ["--port", str(port), "--dimensions", str(dimensions)]
    arguments += ["--down-after", str(down_after), "--down", down, "--retry-after", retry_after]
    arguments += ["--brief"] * brief
    for name, share in shares.items():
        arguments += ["--fault", f"{name}={share}"]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.fault_server", *arguments],
        cwd=REPO,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    assert line.startswith("http"), "the fault server did not start"
    server = FaultServer(line, process, log_path)
    try:
        yield server
    finally:
        server.stop()


# -- the server ----------------------------------------------------------------------------------


class State:
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
        if ordered := _ORDERED.search(asked):
            return ordered[1] if ordered[2] == "always" or self.seen[identity] == 1 else ""
        place, rest = _fraction(identity, "fault"), 0.0
        for name, share in self.shares:
            rest += share
            if place < rest:
                is_lasting = _fraction(identity, "lasting") < self.options.lasting
                return name if is_lasting or self.seen[identity] == 1 else ""
        return ""


# A request can order its fault: "FAULT 500 once", "FAULT hang always".
_ORDERED = re.compile(r"FAULT (\w+) (once|always)")


def _fraction(identity: str, purpose: str) -> float:
    return int(hashlib.sha256(f"{purpose} {identity}".encode()).hexdigest()[:12], 16) / 16**12


def make_app(options: argparse.Namespace) -> Any:
    from starlette.applications import Starlette
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import JSONResponse, Response, StreamingResponse
    from starlette.routing import Route

    state = State(options)

    async def answer(request: Request) -> Response:
        try:
            raw = await request.body()
        except ClientDisconnect:  # killed while it sent
            return Response(status_code=499)
        body = json.loads(raw)
        state.count += 1
        state.in_flight += 1
        is_chat = request.url.path.endswith("completions")
        identity = _identity(body)
        state.seen[identity] += 1
        call: dict[str, Any] = {
            "time": time.time(),
            "identity": identity,
            "body_hash": hashlib.sha256(raw).hexdigest()[:16],
            "fault": state.fault_of(identity, raw.decode()),
            "in_flight": state.in_flight,
            "is_probe": _is_probe(body),
            "is_paid": False,
            "is_repair": is_chat and body["messages"][-2]["role"] == "assistant"
            if is_chat and len(body["messages"]) > 1
            else False,
            "schema": _schema_name(body),
            "authorization": request.headers.get("authorization", ""),
            "messages": [] if options.brief else body.get("messages", []),
            "parameters": {n: p for n, p in body.items() if n not in ("messages", "input")},
            "status": 0,
        }
        if call["is_probe"] and not state.is_down:
            call["fault"] = ""
        try:
            if options.latency:
                await asyncio.sleep(options.latency)
            key = request.headers.get("authorization", "").removeprefix("Bearer ")
            response = await _respond(request, body, call, key)
            call["status"] = response.status_code
            return response
        finally:
            state.in_flight -= 1
            if call["fault"] != "hang":
                state.write(call)

    async def _respond(request: Request, body: Any, call: Any, key: str) -> Response:
        fault = call["fault"]
        if fault == "hang":
            # Until the client has enough of it; logged now, because that is not noticed at once.
            state.write(call | {"status": 499})
            while not await request.is_disconnected():
                await asyncio.sleep(0.05)
            return Response(status_code=499)
        if fault == "reset":
            request.receive.__self__.transport.abort()  # type: ignore[attr-defined]
            return Response(status_code=499)
        if fault == "429":
            return _error(429, "rate_limit_exceeded", f"too many requests for {key}", _wait())
        if fault == "quota":
            return _error(429, "insufficient_quota", f"no credit for {key}")
        if fault in ("500", "400", "401", "403", "404"):
            return _error(int(fault), "fault", f"something is wrong with {key}")
        if fault == "filter":
            return _error(400, "content_filter", "the prompt was filtered")
        if fault == "html":
            return Response("<html>Welcome</html>", media_type="text/html")
        if "messages" in body:
            content = _completion(body, fault, key)
        else:
            content = _embedding(body, options.dimensions)
        text = json.dumps(content)
        if fault == "escaped_refusal":
            text = text.replace(key, _escaped(key))
        call |= {"is_paid": True, "usage": content.get("usage", {})}
        if fault == "half_body":
            return Response(text[: len(text) // 2], media_type="application/json")
        if fault == "huge":
            return StreamingResponse(_huge(text, request, state), media_type="application/json")
        if fault == "drip":
            return StreamingResponse(_drip(text), media_type="application/json")
        headers = {"X-Echo": key} if "echo" in fault else None
        return Response(text, media_type="application/json", headers=headers)

    def _wait() -> dict[str, str]:
        if options.retry_after == "ms":
            return {"retry-after-ms": "30"}
        return {"Retry-After": options.retry_after}

    def _error(status: int, code: str, message: str, headers: Any = None) -> Response:
        error = {"message": message, "code": code, "type": "fault"}
        return JSONResponse({"error": error}, status_code=status, headers=headers)

    paths = ("/v1/chat/completions", "/v1/embeddings")
    return Starlette(routes=[Route(path, answer, methods=["POST"]) for path in paths])


def _identity(body: dict[str, Any]) -> str:
    """What is asked, whatever was said about it since: a repair is the same question."""
    asked = body["messages"] if "messages" in body else body["input"]
    if isinstance(asked, list):
        roles = [message["role"] for message in asked]
        asked = asked[: roles.index("assistant")] if "assistant" in roles else asked
    return hashlib.sha256(json.dumps([body["model"], asked]).encode()).hexdigest()[:16]


async def _huge(text: str, request: Any, state: State) -> AsyncIterator[bytes]:
    yield text.encode()[:-2]
    for sent in range(0, HUGE_BYTES, 65536):
        if await request.is_disconnected():
            return
        yield b" " * 65536
        state.write({"sent_of_huge": sent + 65536})
    yield text.encode()[-2:]


async def _drip(text: str) -> AsyncIterator[bytes]:
    for letter in text:
        yield letter.encode()
        await asyncio.sleep(0.2)


# -- what it answers -----------------------------------------------------------------------------


def _completion(body: dict[str, Any], fault: str, key: str) -> dict[str, Any]:
    text = json.dumps(_answer(body), ensure_ascii=False)
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None}
    finish = "stop"
    if fault == "half":
        message["content"] = text[: len(text) // 2]
    elif fault == "schema":
        message["content"] = '{"opinion": "' + "x" * 40 + '"}'
    elif fault in ("refusal", "escaped_refusal"):
        message |= {"content": None, "refusal": f"I cannot help with that, {key}."}
    elif fault == "empty":
        message["content"] = ""
    elif fault == "length":
        message["content"], finish = text[: len(text) // 2], "length"
    elif fault == "echo":
        message["content"] = text.replace('"reason": "', f'"reason": "Bearer {key} ')
    elif fault == "escaped_echo":
        message["content"] = text.replace('"reason": "', f'"reason": "{_escaped(key)} ')
    elif fault == "fenced":
        message["content"] = f"<think>hm {{</think>\n```json\n{text}\n```"
    asked = sum(len(json.dumps(m)) for m in body["messages"])
    usage = {"prompt_tokens": asked // 4, "completion_tokens": len(text) // 4 + 1}
    completion = {
        "id": "fake",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": usage | {"total_tokens": sum(usage.values())},
    }
    if fault == "no_usage":
        del completion["usage"]
    return completion


def _embedding(body: dict[str, Any], dimensions: int) -> dict[str, Any]:
    vector = [0.0] * body.get("dimensions", dimensions)
    for word in _words(body["input"]) or {"nothing"}:
        digest = hashlib.sha256(word.encode()).digest()
        vector[int.from_bytes(digest[:4], "big") % len(vector)] += 1 if digest[4] % 2 else -1
    norm = math.sqrt(sum(x * x for x in vector)) or 1.0
    return {
        "object": "list",
        "model": body["model"],
        "data": [{"object": "embedding", "index": 0, "embedding": [x / norm for x in vector]}],
        "usage": {"prompt_tokens": len(body["input"]) // 4 + 1, "total_tokens": 0},
    }


def _escaped(key: str) -> str:
    """The key as JSON may write it, too."""
    return "".join(f"\\u{ord(letter):04x}" for letter in key)


_FENCED = re.compile(r"<(\w+) ([0-9a-f]{12})>\n(.*?)\n</\1 \2>", re.S)
_SMALL = word_set(
    "about also and are back been but came can could did does for from got had has have her here "
    "him his how into its just like made more not off one only our out over place places said she "
    "some such than that the their them then there they this too very was way well went were what "
    "when which who will with would you your it is in of to a an at on we my so"
)
_GOOD = "good great friendly lovely excellent amazing delicious fresh cozy clean fantastic best"
_BAD = "bad slow rude awful terrible cold dirty overpriced bland noisy disappointing stale worst"
_OPINION = re.compile(rf"\b({'|'.join((_GOOD + ' ' + _BAD).split())}) ([a-z]{{3,}})\b")


def _answer(body: dict[str, Any]) -> dict[str, Any]:
    parts = {name: content for name, _, content in _FENCED.findall(_user_text(body))}
    evidence = parts.get("evidence", parts.get("caption", ""))
    name = _schema_name(body)
    if name == "support":
        share, is_against = _share(parts["claim"], evidence), False
        if share >= 0.5 and re.search(r"\b(no|not|never|without|closed)\b", evidence.lower()):
            is_against = _is_negated(parts["claim"], evidence)
        verdict = "yes" if share >= 0.75 and not is_against else "no"
        confidence = round(share * (0.1 if is_against else 0.95), 3)
        said = {"verdict": verdict, "is_against": is_against, "confidence": confidence}
        return {"reason": f"{share:.2f} of the words"} | said
    if name == "contradiction":
        claims = parts["claims"].splitlines()
        worst = max((_share(c, evidence) for c in claims if _is_negated(c, evidence)), default=0)
        verdict = "yes" if worst >= 0.75 else "no"
        return {"reason": "by words", "verdict": verdict, "confidence": round(worst * 0.9, 3)}
    if name == "requirement":
        return _requirement(evidence, parts["avoid"])
    if name == "question":
        wanted = [line.split(". ", 1)[-1] for line in parts["requirements"].splitlines()]
        kinds = [line.split(". ", 1)[-1] for line in parts["categories"].splitlines()]
        return {"question": f"Which place for {' and '.join(kinds)} {' and '.join(wanted)}?"}
    if name == "opinions":
        found = {}
        for word, feature in _OPINION.findall(parts["content"].lower()):
            polarity = "positive" if word in _GOOD.split() else "negative"
            found[feature, polarity] = {"feature": feature, "polarity": polarity}
        return {"features": [opinion | {"confidence": 0.9} for opinion in found.values()][:20]}
    if name == "relevance":
        return {"relevance": round(_share(parts["query"], parts["passage"]), 3)}
    return _any_instance(_schema(body), _schema(body).get("$defs", {}))


def _requirement(evidence: str, avoid: str) -> dict[str, Any]:
    """The first two neighbouring words that say something."""
    avoided = {word[:4] for word in _words(avoid)}
    words = re.findall(r"[a-z]+", evidence.lower())
    for first, second in itertools.pairwise(words):
        pair = {first, second}
        if not pair & _SMALL and all(len(w) > 3 and w[:4] not in avoided for w in pair):
            return {"claim": f"It has {first} {second}.", "phrase": f"has {first} {second}"}
    return {"claim": None, "phrase": None}


def _share(claim: str, evidence: str) -> float:
    wanted, given = _words(claim), _words(evidence)
    return len(wanted & given) / len(wanted) if wanted else 0.0


def _is_negated(claim: str, evidence: str) -> bool:
    words = "|".join(map(re.escape, sorted(_words(claim)))) or "$^"
    return bool(re.search(rf"\b(no|not|never|without) (\w+ )?({words})", evidence.lower()))


def _words(text: str) -> set[str]:
    return {w for w in re.findall(r"[^\W_]+", text.lower()) if w not in _SMALL and len(w) > 1}


def _user_text(body: dict[str, Any]) -> str:
    content = next(m["content"] for m in body["messages"] if m["role"] == "user")
    return content if isinstance(content, str) else content[0]["text"]


def _is_probe(body: dict[str, Any]) -> bool:
    return PROBE in (_user_text(body) if "messages" in body else body["input"])


def _schema(body: dict[str, Any]) -> dict[str, Any]:
    if "response_format" in body:
        schema: dict[str, Any] = body["response_format"]["json_schema"]["schema"]
        return schema
    for message in body.get("messages", []):
        _, found, rest = str(message["content"]).partition("JSON schema:\n")
        if found:
            parsed: dict[str, Any] = json.loads(rest)
            return parsed
    return {}


def _schema_name(body: dict[str, Any]) -> str:
    names = {
        ("confidence", "is_against", "reason", "verdict"): "support",
        ("confidence", "reason", "verdict"): "contradiction",
        ("claim", "phrase"): "requirement",
        ("question",): "question",
        ("features",): "opinions",
        ("relevance",): "relevance",
    }
    if "messages" not in body:
        return "embedding"
    if _is_probe(body):
        return "probe"
    return names.get(tuple(sorted(_schema(body).get("properties", {}))), "other")


def _any_instance(schema: dict[str, Any], defs: dict[str, Any]) -> Any:
    if "$ref" in schema:
        return _any_instance(defs[schema["$ref"].rsplit("/", 1)[-1]], defs)
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return _any_instance(schema["anyOf"][0], defs)
    if schema.get("type") == "object":
        return {n: _any_instance(s, defs) for n, s in schema.get("properties", {}).items()}
    plain = {"array": [], "number": 0.5, "integer": 1, "boolean": False, "string": "some text"}
    return plain.get(schema.get("type", "string"))


def main() -> None:
    import socket

    import uvicorn

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
    parser.add_argument("--fault", action="append", default=[])
    options = parser.parse_args()
    listener = socket.create_server(("127.0.0.1", options.port), backlog=512)
    config = uvicorn.Config(make_app(options), log_level="error", access_log=False)
    print(f"http://127.0.0.1:{listener.getsockname()[1]}/v1", flush=True)
    uvicorn.Server(config).run(sockets=[listener])


if __name__ == "__main__":
    main()
