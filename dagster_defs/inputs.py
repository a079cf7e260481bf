"""The input files: that they are there, and what exactly they are."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path

from dagster_defs.progress import say
from udfs.settings import Settings, UserError

# The longest line that the staging models read (max_line_size in macros/input_lines.sql).
LINE_BYTES = 1 << 24


@dataclass(frozen=True)
class InputFile:
    """One input file: its size in bytes, its hash and its number of lines."""

    name: str
    path: str
    size: int
    modified_ns: int
    sha256: str
    lines: int


def ensure_sample_city(settings: Settings) -> None:
    """Generate the sample city where it is the collection and not there yet."""
    from sample_city import generate, is_current

    folders = settings.sample_city_dir, settings.warehouse / "truth"
    if settings.is_sample_city and not is_current(*folders):
        say("  generating the sample city ...")
        try:
            generate(*folders)
        except ValueError as error:
            raise UserError(str(error)) from None


def describe_inputs(settings: Settings) -> list[InputFile]:
    """Describe every input file that is there; an unchanged one is not read again.

    Writes the descriptions to `<warehouse>/input_files.json`. Raises UserError for a missing file,
    and for one that DuckDB could not read: its first line that is too long or not UTF-8 is named.
    """
    known = {file.path: file for file in read_descriptions(settings)}
    files = [
        _describe(name, path, known.get(str(path)))
        for name, path in (settings.input_files() | settings.release_files()).items()
        if path is not None
    ]
    rows = [asdict(file) for file in files]
    _descriptions_path(settings).write_text(json.dumps(rows, indent=2), encoding="utf-8")
    return files


def read_descriptions(settings: Settings) -> list[InputFile]:
    """What the last build wrote down; nothing when there is no such file, or an unusable one."""
    try:
        rows = json.loads(_descriptions_path(settings).read_text(encoding="utf-8"))
        return [InputFile(**row) for row in rows]
    except (OSError, ValueError, TypeError):
        return []


def check_decisions(settings: Settings) -> None:
    """Raises UserError for the first line of decisions/*.jsonl that decides nothing.

    A blank decision is none yet; one about a question that no longer exists is kept and unused.
    """
    for path in sorted(settings.decisions_dir.glob("*.jsonl")):
        try:
            content = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"{path} cannot be read as UTF-8 text ({error}); repair it") from None
        for number, line in enumerate(content.split("\n"), start=1):
            if line.strip() and (fault := _fault_of_decision(line)):
                raise UserError(f"{path}, line {number}: {fault}; repair or remove the line")


def _fault_of_decision(line: str) -> str | None:
    try:
        decision = json.loads(line)
    except (ValueError, RecursionError):
        return "is not JSON"
    if not isinstance(decision, dict):
        return "is not a JSON object"
    for key in ("attempt_id", "record_id", "question"):
        if not isinstance(decision.get(key), str):
            return f"has no {key}"
    if decision.get("decision") not in ("keep", "remove", "", None):
        return f"the decision {decision['decision']!r} is neither 'keep' nor 'remove'"
    return None


def _descriptions_path(settings: Settings) -> Path:
    return settings.warehouse / "input_files.json"


def _describe(name: str, path: Path, known: InputFile | None) -> InputFile:
    status = path.stat()
    if known and (known.size, known.modified_ns) == (status.st_size, status.st_mtime_ns):
        return known
    digest = hashlib.sha256()
    lines = 0
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            while line := file.readline(LINE_BYTES + 1):
                lines += 1
                _check_line(path, lines, line)
                digest.update(line)
    except (OSError, EOFError, zlib.error) as error:
        reason = str(getattr(error, "strerror", None) or error).lower()
        raise UserError(f"{path} cannot be read ({reason}); make it readable") from None
    return InputFile(
        name=name,
        path=str(path),
        size=status.st_size,
        modified_ns=status.st_mtime_ns,
        sha256=digest.hexdigest(),
        lines=lines,
    )


def _check_line(path: Path, number: int, line: bytes) -> None:
    if len(line) > LINE_BYTES:
        raise UserError(
            f"{path}, line {number}: is longer than {LINE_BYTES >> 20} MB; "
            "shorten it, or put each object on a line of its own"
        )
    try:
        line.decode()
    except UnicodeDecodeError as error:
        raise UserError(
            f"{path}, line {number}: byte {error.start + 1} is not UTF-8; "
            "save the file as UTF-8, or remove the line"
        ) from None
