"""Model profiles: one YAML file that names a backend and its parameters for each role."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import yaml
from pydantic import Field, ValidationError

from udfs.encoders import TextEncoder
from udfs.parameters import Fraction, Strict, model_folder
from udfs.settings import UserError

UDFS = Path(__file__).resolve().parent


class Reranker(Strict):
    """A cross-encoder in an ONNX file: the folder holds model.onnx and tokenizer.json."""

    backend: Literal["onnx_cross_encoder"]
    model: str = Field(min_length=1)
    max_tokens: int = Field(gt=8, le=32768)


class TopicWeights(Strict):
    """Logistic weights: how sure it is that a sentence speaks about a claim."""

    bias: float
    topic: float  # times the cross-encoder's logit
    overlap: float  # times the share of the claim's words that the sentence touches
    cue: float  # added when it touches one by another word, as judge_cues.yml knows them
    opposite: float  # added when it touches one by an opposite
    neutral: float  # added when the sentence is neither for nor against


class Judge(Strict):
    """Words and a cross-encoder for the topic, negation and polarity rules for the direction."""

    backend: Literal["rules"]
    reads: Literal["text", "caption"]
    max_sentences: int = Field(gt=0)
    scored_sentences: int = Field(gt=0)
    least_overlap: Fraction
    yes_from: Fraction
    against_from: Fraction
    weights: TopicWeights


class Rules(Strict):
    """A role that needs no model: its rules are the files of the role."""

    backend: Literal["rules"]


class Profile(Strict):
    """What answers for each role."""

    text_embedder: TextEncoder
    reranker: Reranker
    judge: Judge
    photo_judge: Judge
    writer: Rules
    extractor: Rules


# The files whose text decides a rule-based answer; an edit of any of them asks again.
_RULE_FILES = {
    "judge": ("judge*", "claims.py", "text.py"),
    "photo_judge": ("judge*", "claims.py", "text.py"),
    "writer": ("write*", "extract.py", "opinions.py", "lexicon.py", "language/*", "text.py"),
    "extractor": ("extract*", "opinions.py", "lexicon.py", "language/*", "text.py"),
}
# The packages whose word lists do so too.
_RULE_PACKAGES = {
    "judge": ("snowballstemmer", "vaderSentiment"),
    "photo_judge": ("snowballstemmer", "vaderSentiment"),
    "writer": ("textblob", "vaderSentiment"),
    "extractor": ("textblob", "vaderSentiment"),
}
_USES_RERANKER = ("judge", "photo_judge")
ROLES = tuple(Profile.model_fields)


def load_profile(path: Path) -> Profile:
    """Read and check a profile file. Raises UserError that names the file and the role."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); set HETERQA_PROFILE") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise UserError(f"{path}: is not YAML: {reason}; correct it") from None
    if not isinstance(content, dict):
        raise UserError(
            f"{path}: must be a mapping of roles ({', '.join(ROLES)}); see embedded.yml"
        )
    try:
        return Profile.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        role, *rest = (str(part) for part in first["loc"])
        where = f"role {role}" + (f", {'.'.join(rest)}" if rest else "")
        known = f"; known roles are {', '.join(ROLES)}" if role not in ROLES else ""
        raise UserError(f"{path}: {where}: {first['msg'].lower()}{known}") from None


def model_signature(profile: Profile, role: str) -> str:
    """What an answer of the role depends on besides its input; loads no model.

    JSON with role, backend and parameters, the version of the model's package or the sizes of its
    files, and a hash of the rules. Raises UserError for an unknown role.
    """
    if role not in ROLES:
        raise UserError(f"model_signature: no role '{role}'; known roles are {', '.join(ROLES)}")
    parameters = getattr(profile, role)
    signature: dict[str, object] = {"role": role, **parameters.model_dump()}
    if "model" in signature:
        signature["version"] = _model_version(parameters.model)
    if parameters.backend == "rules":
        signature["rules"] = _hash_files(
            path for pattern in _RULE_FILES[role] for path in sorted(UDFS.glob(pattern))
        )
        packages = _RULE_PACKAGES[role]
        signature["packages"] = {name: importlib.metadata.version(name) for name in packages}
    if role in _USES_RERANKER:
        signature["reranker"] = json.loads(model_signature(profile, "reranker"))
    return json.dumps(signature, sort_keys=True, ensure_ascii=False)


def _model_version(model: str) -> str:
    folder = model_folder(model)
    if model.startswith("package:"):
        package = model.removeprefix("package:").partition("/")[0]
        return importlib.metadata.version(package)
    if folder is None:
        return ""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    sizes = [f"{path.relative_to(folder)} {path.stat().st_size}" for path in files]
    return hashlib.sha256("\n".join(sizes).encode()).hexdigest()[:12]


def _hash_files(paths: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        if path.is_file():
            digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]
