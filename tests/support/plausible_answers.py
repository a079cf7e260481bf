"""What the faulty endpoint answers: plausible and deterministic, read off the prompt by rules."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import re
from typing import Any

from udfs.endpoint.requests import PROBE
from udfs.english.word_lists import word_set


def completion(body: dict[str, Any], fault: str, key: str) -> dict[str, Any]:
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
        message["content"] = text.replace('"reason": "', f'"reason": "{escaped(key)} ')
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


def embedding(body: dict[str, Any], dimensions: int) -> dict[str, Any]:
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


def escaped(key: str) -> str:
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
    name = schema_name(body)
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


def is_probe(body: dict[str, Any]) -> bool:
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


def schema_name(body: dict[str, Any]) -> str:
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
    if is_probe(body):
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
