"""What a profile may say of a role, and where the files of a model are that it names."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Literal

from pydantic import Field

from udfs.contracts.strict import Fraction, Strict
from udfs.warehouse.errors import UserError


class OnnxCrossEncoder(Strict):
    """A cross-encoder in an ONNX file: the folder holds model.onnx and tokenizer.json."""

    backend: Literal["onnx_cross_encoder"]
    model: str = Field(min_length=1)
    max_tokens: int = Field(gt=8, le=32768)


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
