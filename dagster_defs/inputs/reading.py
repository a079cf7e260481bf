"""Errors of reading an input file, in words for the user."""

from __future__ import annotations

import errno
import gzip
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from udfs.warehouse.errors import UserError
from udfs.warehouse.settings import Settings


@contextmanager
def reading(path: Path, settings: Settings) -> Iterator[None]:
    """Raises UserError, in one sentence, for an error of reading or copying the file."""
    try:
        yield
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        reason = str(error).lower()
        raise UserError(f"{path} is damaged or cut off ({reason}); fetch it again") from None
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise UserError(
                f"{settings.inputs_dir}: {reason}, while {path} is copied there; make room"
            ) from None
        raise UserError(f"{path} cannot be read ({reason}); make it readable") from None
