"""The variables of the settings, as the process environment and `.env` have them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from dotenv import dotenv_values

from udfs.warehouse.errors import UserError
from udfs.warehouse.places import REPO


def read_variables(prefix: str, environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables that begin with the prefix, without spaces around them and without empty ones.

    Without `environ` the process environment is read, and `.env` in the repository for what is
    not set there. Raises UserError for a value, or a file, that is not UTF-8.
    """
    if environ is None:
        environ = _read_file(REPO / ".env") | dict(os.environ)
    # In capitals only: variables of other spellings are not ours.
    texts = {
        name: text.strip()
        for name, text in environ.items()
        if name.startswith(prefix) and name == name.upper()
    }
    for name, text in texts.items():
        if not _is_utf8(text):
            shown = text.encode(errors="backslashreplace").decode()
            raise UserError(f"{name}: {shown} is not UTF-8; give another value, or rename the file")
    return {name: text for name, text in texts.items() if text}


def _read_file(path: Path) -> dict[str, str]:
    try:
        return {k: v for k, v in dotenv_values(path).items() if v is not None}
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path}: byte {error.start + 1} is not UTF-8; save the file as UTF-8"
        ) from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UserError(f"{path} cannot be read ({reason}); make it readable") from None


def _is_utf8(text: str) -> bool:
    """False for a variable of other bytes, which Python keeps as lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
