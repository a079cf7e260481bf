"""Model profiles: one YAML file that names a backend and its parameters for each role."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import yaml
from dotenv import dotenv_values
from pydantic import Field, ValidationError

from udfs.contracts.strict import Strict
from udfs.profiles.parameters import (
    CrossEncoder,
    Endpoint,
    OnnxCrossEncoder,
    RuleJudge,
    Rules,
    TextEncoder,
    model_folder,
)
from udfs.warehouse.errors import UserError
from udfs.warehouse.places import PROFILE_FOLDER, REPO

EMBEDDED = PROFILE_FOLDER / "embedded.yml"
_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")


class Profile(Strict):
    """What answers for each role."""

    text_embedder: Annotated[TextEncoder | Endpoint, Field(discriminator="backend")]
    reranker: Annotated[OnnxCrossEncoder | CrossEncoder | Endpoint, Field(discriminator="backend")]
    judge: Annotated[RuleJudge | Endpoint, Field(discriminator="backend")]
    photo_judge: Annotated[RuleJudge | Endpoint, Field(discriminator="backend")]
    writer: Annotated[Rules | Endpoint, Field(discriminator="backend")]
    extractor: Annotated[Rules | Endpoint, Field(discriminator="backend")]

    @property
    def paid_roles(self) -> dict[str, Endpoint]:
        """The roles that an endpoint answers."""
        roles = {role: getattr(self, role) for role in ROLES}
        return {role: found for role, found in roles.items() if isinstance(found, Endpoint)}


ROLES = tuple(Profile.model_fields)


def load_profile(path: Path) -> Profile:
    """Read and check a profile file. Raises UserError that names the file, the line and the role.

    `${NAME}` and `${NAME:-default}` in a value are replaced from the environment or .env. Keys of
    the top level that start with `x-` are the file's own, to share parameters between roles.
    """
    try:
        text = path.read_text(encoding="utf-8")
        content = yaml.safe_load(text)
        lines = _lines(yaml.compose(text, Loader=yaml.SafeLoader))
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); set HETERQA_PROFILE") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise UserError(f"{path}: is not YAML: {reason}; correct it") from None
    if not isinstance(content, dict):
        raise UserError(
            f"{path}: must be a mapping of roles ({', '.join(ROLES)}); see embedded.yml"
        )
    variables = {key: value for key, value in dotenv_values(REPO / ".env").items() if value}
    content = _filled(content, (), variables | dict(os.environ), path, lines)
    try:
        return Profile.model_validate({k: v for k, v in content.items() if not _is_own(k)})
    except ValidationError as error:
        raise UserError(_explain(path, lines, content, error)) from None


def check_profile(profile: Profile, path: Path, needs_keys: bool = True) -> None:
    """What can be known to be wrong before anything runs: models and keys that are not there.

    needs_keys: an endpoint will be asked. Raises UserError that names the file and the role.
    """
    for role in ROLES:
        parameters = getattr(profile, role)
        for part in (parameters, getattr(parameters, "cross_encoder", None)):
            if part is None or isinstance(part, Endpoint) or not hasattr(part, "model"):
                continue
            try:
                model_folder(part.model)
            except UserError as error:
                raise UserError(f"{path}: role {role}: {error}") from None
    for role, endpoint in profile.paid_roles.items() if needs_keys else ():
        name = endpoint.api_key_env
        if name is not None and not os.environ.get(name, "").strip():
            raise UserError(
                f"{name}: is not set, and {path} asks {endpoint.base_url} for role "
                f"{role}; export it (any text for a server that wants no key)"
            )


def _is_own(key: object) -> bool:
    return isinstance(key, str) and key.startswith("x-")


def _lines(node: yaml.Node | None, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], int]:
    """The line of each key, by its path; a merged key has the line where it is written."""
    found: dict[tuple[str, ...], int] = {}
    if not isinstance(node, yaml.MappingNode):
        return found
    for key, value in node.value:
        if key.tag == "tag:yaml.org,2002:merge":
            merged = value.value if isinstance(value, yaml.SequenceNode) else [value]
            for mapping in merged:
                found = _lines(mapping, path) | found
            continue
        here = (*path, str(key.value))
        found |= {here: key.start_mark.line + 1} | _lines(value, here)
    return found


def _filled(
    value: Any,
    path: tuple[str, ...],
    variables: Mapping[str, str],
    file: Path,
    lines: Mapping[tuple[str, ...], int],
) -> Any:
    """The same content with its variables replaced."""
    if isinstance(value, dict):
        return {
            key: _filled(inner, (*path, str(key)), variables, file, lines)
            for key, inner in value.items()
        }
    if not isinstance(value, str):
        return value

    def replace(match: re.Match[str]) -> str:
        name, default = match.groups()
        text = variables.get(str(name), "") or default
        if text is None:
            raise UserError(
                f"{_where(file, lines, path)}: {'.'.join(path)} needs the variable {name}; set it"
            )
        return text

    return _VARIABLE.sub(replace, value)


def _where(file: Path, lines: Mapping[tuple[str, ...], int], path: tuple[str, ...]) -> str:
    """The file and, of the nearest key that is in it, the line."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return f"{file}, line {lines[path[:length]]}"
    return str(file)


def _explain(
    file: Path, lines: Mapping[tuple[str, ...], int], content: Any, error: ValidationError
) -> str:
    """The first thing that is wrong, in one sentence."""
    first = error.errors()[0]
    role, *rest = (str(part) for part in first["loc"])
    # Pydantic names the chosen backend behind the role.
    chosen = content.get(role)
    if rest and isinstance(chosen, dict) and rest[0] == chosen.get("backend"):
        rest = rest[1:]
    if first["type"] in ("union_tag_invalid", "union_tag_not_found"):
        rest = ["backend"]
    message = first["msg"]
    if first["type"] == "union_tag_invalid":
        context = first["ctx"]
        message = f"there is no backend '{context['tag']}', it has {context['expected_tags']}"
    elif first["type"] == "union_tag_not_found" or first["type"] == "missing":
        message = "is missing"
    elif first["type"] == "extra_forbidden":
        message = "is no key of it"
    where = f"role {role}" + (f", {'.'.join(rest)}" if rest else "")
    known = f"; known roles are {', '.join(ROLES)}" if role not in ROLES else ""
    return (
        f"{_where(file, lines, (role, *rest))}: {where}: {message[0].lower()}{message[1:]}{known}"
    )
