"""What the parameters of all backends share: strictness, and where a model's files are."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from udfs.warehouse.settings import UserError

Fraction = Annotated[float, Field(ge=0, le=1)]


class Strict(BaseModel):
    """Parameters in a profile: an unknown key is an error, and none changes later."""

    model_config = ConfigDict(extra="forbid", frozen=True)


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
