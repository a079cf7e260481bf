"""What a profile says of a role: the parameters of each backend, and where a model's files are."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, JsonValue, field_validator, model_validator

from udfs.contracts.strict import Fraction, Strict
from udfs.warehouse.errors import UserError

# -- backend `sentence_transformers` ---------------------------------------------------------------


class SentenceTransformer(Strict):
    """A model that sentence-transformers loads.

    model: package:<package>/<folder>, a folder, or a name on a hub. device: auto, cpu, cuda,
    cuda:1, mps. dtype: auto is as the model was saved. batch: inputs a call; more than one is for
    accelerators, and lets the last bits of an answer depend on its company.
    """

    backend: Literal["sentence_transformers"]
    model: str = Field(min_length=1)
    revision: str | None = Field(default=None, min_length=1)
    trust_remote_code: bool = False
    device: str = Field(default="auto", pattern=r"^(auto|cpu|mps|(cuda|xpu|npu)(:\d+)?)$")
    dtype: Literal["auto", "float32", "float16", "bfloat16"] = "auto"
    max_tokens: int = Field(gt=2, le=131072)
    batch: int = Field(default=1, ge=1, le=4096)

    @model_validator(mode="after")
    def _revision_is_of_a_hub(self) -> SentenceTransformer:
        if self.revision and self.model.startswith(("package:", "/", ".", "~")):
            raise ValueError("revision is for a model on a hub, and this one is a folder")
        return self


class TextEncoder(SentenceTransformer):
    """Texts as vectors of `dimensions`; fewer than the model has cuts them off (matryoshka).

    query_model: the tower for queries, where it is a model of its own, and its query_revision.
    Prompts are put before a text; without them the model's own are.
    """

    dimensions: int = Field(gt=0, le=65536)
    query_model: str | None = Field(default=None, min_length=1)
    query_revision: str | None = Field(default=None, min_length=1)
    query_prompt: str | None = None
    document_prompt: str | None = None


class CrossEncoder(SentenceTransformer):
    """How well a text answers a query.

    prompt: an instruction to the model; without it the model's own is used.
    """

    prompt: str | None = None


# -- backend `onnx_cross_encoder` ------------------------------------------------------------------


class OnnxCrossEncoder(Strict):
    """A cross-encoder in an ONNX file: the folder holds model.onnx and tokenizer.json."""

    backend: Literal["onnx_cross_encoder"]
    model: str = Field(min_length=1)
    max_tokens: int = Field(gt=8, le=32768)


# -- backend `openai` ------------------------------------------------------------------------------


class Price(Strict):
    """US dollars per million tokens."""

    input: float = Field(ge=0, allow_inf_nan=False)
    output: float = Field(default=0.0, ge=0, allow_inf_nan=False)


class Endpoint(Strict):
    """A model behind an OpenAI-compatible server, as a profile gives it.

    An attempt is one request; a call is all the attempts for one answer.
    """

    backend: Literal["openai"]
    model: str = Field(min_length=1)
    base_url: str = "https://api.openai.com/v1"
    # The environment variable that holds the key; null for a server that needs none.
    api_key_env: str | None = Field(default="OPENAI_API_KEY", pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    max_tokens: int = Field(default=600, gt=0)  # of an answer
    # What the server calls that limit; newer models of OpenAI take the second name only.
    limit_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    temperature: float | None = Field(default=0, ge=0)  # null leaves it to the server
    seed: int | None = 7
    # False for a server without JSON schemas: the schema then goes into the prompt.
    json_schema: bool = True
    # True for a server whose schemas may bound the length of a string (llama.cpp, vLLM).
    json_lengths: bool = False
    dimensions: int | None = Field(default=None, gt=0)  # of an embedding
    # Whether the server is told them: true for a model that can shorten its vectors.
    sends_dimensions: bool = False
    # More members of the request, as the server knows them (reasoning_effort, provider, ...).
    extra: dict[str, JsonValue] = Field(default_factory=dict)
    price: Price | None = None
    photo_tokens: int = Field(default=1600, gt=0)  # the most that a photo counts
    in_flight: int = Field(default=16, gt=0, le=512)
    timeout_seconds: float = Field(default=60, gt=0)  # of an attempt
    deadline_seconds: float = Field(default=300, gt=0)  # of a call
    attempts: int = Field(default=5, gt=0, le=20)
    back_off_seconds: float = Field(default=0.5, gt=0)  # before the second attempt; then doubled

    @field_validator("base_url")
    @classmethod
    def _is_plain_url(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("give a URL that starts with http:// or https://")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("a URL holds no key; name its variable in `api_key_env`")
        return url.rstrip("/")

    def identity(self) -> dict[str, Any]:
        """The parameters that an answer depends on: not where it is, times, prices or how often."""
        names = ("model", "max_tokens", "temperature", "seed", "json_schema")
        more = ("json_lengths", "dimensions", "sends_dimensions", "extra")
        return {"backend": self.backend} | {name: getattr(self, name) for name in (*names, *more)}


# -- backend `rules` -------------------------------------------------------------------------------


class TopicWeights(Strict):
    """Logistic weights: how sure it is that a sentence speaks about a claim."""

    bias: float
    topic: float  # times the cross-encoder's logit
    overlap: float  # times the share of the claim's words that the sentence touches
    cue: float  # added when it touches one by another word, as rules/judge/cues.yml knows them
    opposite: float  # added when it touches one by an opposite
    neutral: float  # added when the sentence is neither for nor against


class RuleJudge(Strict):
    """Words and a cross-encoder for the topic, negation and polarity rules for the direction."""

    backend: Literal["rules"]
    reads: Literal["text", "caption"]
    cross_encoder: OnnxCrossEncoder
    max_sentences: int = Field(gt=0)
    scored_sentences: int = Field(gt=0)
    least_overlap: Fraction
    yes_from: Fraction
    against_from: Fraction
    weights: TopicWeights


class Rules(Strict):
    """A role that needs no model: its rules are the files of the role."""

    backend: Literal["rules"]


# -- the files of a model --------------------------------------------------------------------------


def model_folder(model: str) -> Path | None:
    """The folder of `package:<package>/<folder>` or of a path; None for a name on a hub.

    The package is only located, never imported. Raises UserError when it is not there.
    """
    if model.startswith("package:"):
        package, _, folder = model.removeprefix("package:").partition("/")
        spec = importlib.util.find_spec(package) if package.isidentifier() else None
        roots = spec.submodule_search_locations if spec else None
        path = Path(next(iter(roots))) / folder if roots else None
        if path is None or not path.is_dir():
            raise UserError(
                f"model '{model}': package '{package}' or its folder is not installed; run "
                "`make run`, which installs it, or name another model in the profile"
            )
        return path
    path = Path(model).expanduser()
    if path.is_dir():
        return path
    if path.is_absolute() or model.startswith((".", "~")):
        raise UserError(f"model '{model}': there is no such folder; correct the profile")
    return None
