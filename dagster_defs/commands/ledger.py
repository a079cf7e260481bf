"""`make export-ledger`, `make import-ledger`: answers move to another warehouse as one file."""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

import duckdb

from dagster_defs.warehouse.lock import build_lock, check_build_file
from udfs.functions import answer_columns
from udfs.profiles.profile import load_profile
from udfs.warehouse.errors import UserError
from udfs.warehouse.journal import (
    IMPORTS,
    answer_tables,
    check_answer_tables,
    has_journal,
    uncommitted_answers,
)
from udfs.warehouse.settings import Settings

DESCRIPTION = """\
Write every stored answer of the warehouse to a file, or make the answers of such a file known to
the warehouse: its next build takes them instead of asking. The file holds what models answered and
the hashes of what they were asked, one JSON object a line.
"""
FAILED = 2


def main(arguments: list[str] | None = None) -> int:
    """Export or import; the exit code is 0, or 2 with one sentence on what is wrong."""
    parser = argparse.ArgumentParser(
        prog="python -m dagster_defs.commands.ledger",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("action", choices=("export", "import"))
    parser.add_argument("file", nargs="?", default="", help="default: ledger.jsonl.gz")
    chosen = parser.parse_args(arguments)
    path = Path(chosen.file or "ledger.jsonl.gz").expanduser().absolute()
    try:
        settings = Settings.from_env()
        with build_lock(settings):
            count = (export_ledger if chosen.action == "export" else import_ledger)(settings, path)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return FAILED
    if chosen.action == "export":
        print(f"{count:,} answers written to {path}")
    else:
        print(f"{count:,} answers of {path} are known to {settings.warehouse}; run `make run`")
    return 0


def export_ledger(settings: Settings, path: Path) -> int:
    """Write the answered requests to a gzip file and return how many there are.

    They are in build.duckdb, and in the journal as long as a build that was stopped is not gone on
    with. Raises UserError when there is no build, or the file cannot be written.
    """
    if not settings.build_path.exists():
        raise UserError(f"{settings.build_path}: there is no build to export; run `make run` first")
    check_build_file(settings)
    known = answer_columns(load_profile(settings.profile_path))
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with duckdb.connect(settings.build_path, read_only=True) as connection:
        check_answer_tables(connection, settings.build_path)
        selects = [_answers(connection, table, known) for table in answer_tables(connection)]
        if has_journal(settings):
            left = uncommitted_answers(connection, settings)
            selects.append(f"from ({left}) where (answer ->> 'error') is null")
        if not selects:
            raise UserError(f"{settings.build_path}: holds no answers yet; run `make run` first")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            rows = connection.execute(
                f"copy ({' union all '.join(selects)}) to ? (format json, compression gzip)",
                [str(temporary)],
            ).fetchone()
            temporary.replace(path)
        except (duckdb.IOException, OSError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UserError(f"{path}: cannot be written ({reason}); give another file") from None
        finally:
            temporary.unlink(missing_ok=True)
    return int(rows[0]) if rows else 0


def import_ledger(settings: Settings, path: Path) -> int:
    """Check a ledger file and copy it into the warehouse; returns how many answers it holds.

    Raises UserError that names the line which is no entry; then nothing is imported.
    """
    digest = hashlib.sha256()
    count = 0
    try:
        for number, line in enumerate(_lines(path), start=1):
            digest.update(line)
            if line.strip():
                _check_entry(path, number, line)
                count += 1
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UserError(f"{path}: cannot be read ({reason}); give another file") from None
    target = settings.ledger_dir / IMPORTS.replace("*", digest.hexdigest()[:12])
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    with gzip.open(temporary, "wb", compresslevel=6) as file:
        for line in _lines(path):
            file.write(line)
    temporary.replace(target)
    return count


def _answers(connection: duckdb.DuckDBPyConnection, table: str, known: frozenset[str]) -> str:
    """The query of a table's entries, without what was asked."""
    described = connection.execute(f"describe {table}").fetchall()
    columns = [column for column, *_ in described if column in known]
    members = ", ".join(f"{column} := {column}" for column in columns)
    return (
        f"select request_key, to_json(struct_pack({members})) as answer"
        f" from {table} where error is null"
    )


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        is_gzip = file.read(2) == b"\x1f\x8b"
    with gzip.open(path) if is_gzip else path.open("rb") as file:
        yield from file


def _check_entry(path: Path, number: int, line: bytes) -> None:
    try:
        entry = json.loads(line)
        answer = entry["answer"]
        # What every answer has, and only an answer.
        is_entry = (
            isinstance(entry["request_key"], str)
            and answer["error"] is None
            and isinstance(answer["model"], str)
            and isinstance(answer["attempts"], int)
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        is_entry = False
    if not is_entry:
        raise UserError(
            f"{path}, line {number}: is no answer of a ledger; give a file of `make export-ledger`"
        )


if __name__ == "__main__":
    sys.exit(main())
