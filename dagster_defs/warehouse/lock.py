"""One writer: a lock file that the building process holds and that names it to everybody else."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import duckdb
from filelock import FileLock, Timeout

from udfs.warehouse.errors import UserError
from udfs.warehouse.folders import restore_folder
from udfs.warehouse.settings import Settings

BROKEN_FILE_SIGNS = (
    "not a valid DuckDB database file",
    "Could not read enough bytes",
    "Serialization Error",
    "Corrupt database file",
    "replaying WAL",
)


@contextmanager
def build_lock(settings: Settings) -> Iterator[None]:
    """Hold the warehouse's lock; entering again in the same process is free.

    The operating system drops the lock when its process ends, however it ends, so the file of a
    dead process is no obstacle; a folder that it left half replaced is brought back first. Raises
    UserError that names the process which holds the lock.
    """
    make_warehouse(settings)
    path = settings.lock_path
    # One lock a path in this process, whichever thread asks.
    lock = FileLock(path, is_singleton=True, thread_local=False, fallback_to_soft=False)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        holder = " ".join(path.read_text(encoding="utf-8").split())
        raise UserError(
            f"the warehouse {settings.warehouse} is being built by "
            f"{holder or 'another process'}; wait for it or stop it"
        ) from None
    try:
        if lock.lock_counter == 1:
            started = datetime.now().astimezone().isoformat(sep=" ", timespec="seconds")
            path.write_text(f"process {os.getpid()}\n(started {started})\n", encoding="utf-8")
            for folder in settings.replaced_folders:
                restore_folder(folder)
        yield
    finally:
        if lock.lock_counter == 1:
            path.write_text("", encoding="utf-8")
        lock.release()


def make_warehouse(settings: Settings) -> None:
    """Create the warehouse folder. Raises UserError when it cannot be written to."""
    try:
        settings.warehouse.mkdir(parents=True, exist_ok=True)
        probe = settings.warehouse / f".writable.{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise UserError(
            f"HETERQA_WAREHOUSE: cannot write to {settings.warehouse} "
            f"({(error.strerror or str(error)).lower()}); give a folder that can be written to"
        ) from None


def explain_database_error(message: str) -> str | None:
    """What to do about an error of opening build.duckdb; None for any other message."""
    if "Could not set lock on file" in message:
        path = re.search(r'lock on file "([^"]+)"', message)
        process = re.search(r"\(PID (\d+)\)", message)
        return (
            f"{path[1] if path else 'build.duckdb'} is open in "
            f"process {process[1] if process else '(unknown)'}; "
            "close it there, and read heterqa.duckdb instead, which is never locked"
        )
    if any(sign in message for sign in BROKEN_FILE_SIGNS):
        return (
            "build.duckdb is broken, or of another version of DuckDB; "
            "remove it, then build: all models are asked anew"
        )
    return None


def check_build_file(settings: Settings) -> None:
    """Open build.duckdb for a moment. Raises UserError when it is open elsewhere or broken."""
    if not settings.build_path.exists():
        return
    try:
        duckdb.connect(settings.build_path).close()
    except duckdb.Error as error:
        explained = explain_database_error(str(error))
        raise UserError(explained or f"cannot open {settings.build_path}: {error}") from None
