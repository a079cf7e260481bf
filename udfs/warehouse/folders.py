"""Folders that are replaced as a whole: a reader, or a kill, meets the old one or the new one."""

from __future__ import annotations

import ctypes
import os
import shutil
from pathlib import Path

# Linux: names relative to the working directory, and a rename that swaps two paths in one step.
AT_FDCWD, RENAME_EXCHANGE = -100, 2


def replace_folder(new: Path, folder: Path) -> None:
    """Put a finished folder in the place of the old one, in one step where the system can.

    Elsewhere there is a moment without the folder; `restore_folder` makes good a kill in it.
    """
    restore_folder(folder)
    aside = _aside(folder)
    if folder.exists() and _exchange(new, folder):
        shutil.rmtree(new, ignore_errors=True)
        return
    if folder.exists():
        folder.rename(aside)
    new.rename(folder)
    shutil.rmtree(aside, ignore_errors=True)


def restore_folder(folder: Path) -> None:
    """Bring back a folder that a kill during its replacement left aside, and clean up after one."""
    aside = _aside(folder)
    if aside.exists() and not folder.exists():
        aside.rename(folder)
    shutil.rmtree(aside, ignore_errors=True)


def _aside(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.old")


def _exchange(first: Path, second: Path) -> bool:
    """Swap two paths in one step; False where the system or the file system knows no such step."""
    try:
        rename = ctypes.CDLL(None).renameat2
    except (AttributeError, OSError, TypeError):
        return False
    paths = os.fsencode(first), os.fsencode(second)
    status: int = rename(AT_FDCWD, paths[0], AT_FDCWD, paths[1], RENAME_EXCHANGE)
    return status == 0
