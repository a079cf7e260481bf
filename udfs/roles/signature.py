"""What an answer depends on besides its input: an edit of any of it is another request.

The signature of a role is part of the key of its requests. It holds the backend's parameters, the
version of the model, and the version of the prompt or of the rules.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
from pathlib import Path
from typing import Any

from udfs.endpoint.prompt import signature
from udfs.english import SEEDS
from udfs.profiles.parameters import Endpoint, model_folder
from udfs.profiles.profile import ROLES, Profile
from udfs.warehouse.errors import UserError

UDFS = Path(__file__).resolve().parents[1]
_SAMPLED_BYTES = 1 << 20

# The folder below udfs/rules of each role that rules answer.
RULE_FOLDERS = {
    "judge": "judge",
    "photo_judge": "judge",
    "writer": "writer",
    "extractor": "extractor",
}
# The packages whose word lists the rules and udfs/english read.
RULE_PACKAGES = ("inflect", "snowballstemmer", "textblob", "vaderSentiment")
# The prompts of each task that an endpoint answers; without its file, a photo is its caption.
PROMPTS = {
    ("judge", "support"): ("judge_support",),
    ("judge", "contradiction"): ("judge_contradiction",),
    ("photo_judge", "support"): ("photo_support", "judge_support"),
    ("photo_judge", "contradiction"): ("photo_contradiction", "judge_contradiction"),
    ("writer", "constraint"): ("write_text_constraint", "write_photo_constraint"),
    ("writer", "question"): ("write_question",),
    ("extractor", ""): ("extract_features",),
    ("reranker", ""): ("rerank",),
}


def model_signature(profile: Profile, role: str, task: str = "") -> str:
    """What an answer of the role depends on besides its input; loads no model.

    JSON with role, backend and parameters, the version of the model's package or a hash of its
    files, and the version of the rules or of the task's prompt. Raises UserError for an unknown
    role.
    """
    parameters = _parameters(profile, role)
    if isinstance(parameters, Endpoint):
        identity = parameters.identity()
    else:
        identity = parameters.model_dump(exclude={"device", "batch"})
        for part in (identity, identity.get("cross_encoder", {})):
            for key in ("model", "query_model"):
                if part.get(key):
                    part[f"{key}_version"] = _model_version(part[key])
    version = prompt_version(profile, role, task)
    signature = {"role": role, "task": task, "prompt_version": version} | identity
    return json.dumps(signature, sort_keys=True, ensure_ascii=False)


def model_name(profile: Profile, role: str) -> str:
    """The model that answers for a role, or `rules`."""
    return getattr(_parameters(profile, role), "model", "rules")


def prompt_version(profile: Profile, role: str, task: str = "") -> str:
    """Name and version of the prompt that a role's task is asked with, or a hash of its rules.

    Empty for a model without a prompt.
    """
    parameters = _parameters(profile, role)
    if isinstance(parameters, Endpoint):
        return ", ".join(signature(name) for name in PROMPTS.get((role, task), ()))
    return _rules_version(role) if parameters.backend == "rules" else ""


def _parameters(profile: Profile, role: str) -> Any:
    parameters = getattr(profile, role) if role in ROLES else None
    if parameters is None:
        known = ", ".join(ROLES)
        raise UserError(f"model_signature: no role '{role}'; the profile has {known}")
    return parameters


def _rules_version(role: str) -> str:
    """A hash of the files that rules answer by: the role's own folder, English and its word lists.

    Raises UserError for a folder or a list that is not there.
    """
    digest = hashlib.sha256()
    for package in RULE_PACKAGES:
        digest.update(f"{package} {importlib.metadata.version(package)}\n".encode())
    folders = (UDFS / "rules" / RULE_FOLDERS[role], UDFS / "english")
    files = {path.relative_to(UDFS): path for folder in folders for path in _files_below(folder)}
    for name, path in (files | {Path("seeds", seed.name): seed for seed in SEEDS}).items():
        if not path.is_file():
            raise UserError(
                f"{path}: a word list of rules is not there; restore the file from the repository"
            )
        digest.update(f"{name.as_posix()}\0".encode())
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def _files_below(folder: Path) -> list[Path]:
    """The files that people write, in the order of their paths: none that is hidden or compiled."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    written = [
        path
        for path in found
        if not any(part.startswith((".", "__pycache__")) for part in path.relative_to(folder).parts)
    ]
    if not written:
        raise UserError(
            f"{folder}: the rules of a role are not there; restore the folder from the repository"
        )
    return written


def _model_version(model: str) -> str:
    folder = model_folder(model)
    if model.startswith("package:"):
        package = model.removeprefix("package:").partition("/")[0]
        return importlib.metadata.version(package)
    if folder is None:
        return ""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        size = path.stat().st_size
        digest.update(f"{path.relative_to(folder)} {size}\n".encode())
        # Weights can be many gigabytes. Another checkpoint differs in every part of a file, so the
        # first and the last megabyte are enough.
        with path.open("rb") as file:
            digest.update(file.read(_SAMPLED_BYTES))
            file.seek(max(0, size - _SAMPLED_BYTES))
            digest.update(file.read(_SAMPLED_BYTES))
    return digest.hexdigest()[:12]
