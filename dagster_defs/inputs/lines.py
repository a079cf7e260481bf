"""One pass over the bytes of an input file: what it is, and whether DuckDB can read it as it is.

DuckDB reads any line, and gives nulls for one that is no JSON. But it passes over blank lines, so
that the lines after one lose their numbers, and it stumbles over a byte order mark and over a line
that is longer than its buffer. A file with such a thing is read from a copy without it.
"""

from __future__ import annotations

import hashlib
import io
import json
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol, TextIO

import numpy as np

# The longest line that is read: DuckDB's default for a JSON object.
LINE_BYTES = 1 << 24
BLOCK_BYTES = 1 << 20
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# Stands in a copy for a line that is left out, so that line numbers stay those of the original.
PLACEHOLDER = b"null\n"
NEWLINE, SPACE = b"\n "


class Readable(Protocol):
    """A file, or a member of an archive."""

    def read(self, size: int, /) -> bytes: ...


@dataclass
class Content:
    """What a file holds: bytes and their hash, lines with something in them, and blank ones.

    is_plain: DuckDB reads it without a copy
    """

    size: int = 0
    sha256: str = ""
    lines: int = 0
    blank_lines: int = 0
    is_plain: bool = True


def survey(path: Path) -> Content:
    """What the file holds. Raises OSError when it cannot be read."""
    with path.open("rb", buffering=0) as file:
        return _read(file, _Lines())


def copy_lines(source: Readable, target: Path, skipped: Path) -> Content:
    """Write a copy that DuckDB can read, line by line the original.

    In place of a blank or an overlong line it has null, and `skipped` has the line's number and the
    reason, as JSON; the reason of a blank line is null.
    """
    with target.open("wb") as copy, skipped.open("w", encoding="utf-8") as skips:
        return _read(source, _Lines(copy, skips))


class _Lines:
    """Counts the lines of a file as they come; writes the copy when it is given one."""

    def __init__(self, copy: BinaryIO | None = None, skips: TextIO | None = None) -> None:
        self.copy = copy
        self.skips = skips
        self.content = Content()
        self.number = 0
        # Blank lines at the end disturb nobody: they wait here for a line after them.
        self.waiting = 0

    def take(self, block: bytes) -> None:
        """Whole lines, the last one perhaps without its end."""
        count, may_be_blank = _look_over(block)
        if not may_be_blank:
            self._keep(block, count)
            return
        for line in io.BytesIO(block):
            if line.isspace():
                self.waiting += 1
                self.content.blank_lines += 1
            else:
                self._keep(line, 1)

    def leave_out(self, reason: str) -> None:
        """One line that cannot be read."""
        self._settle()
        self._replace(reason)
        self.content.lines += 1

    def finish(self) -> None:
        """DuckDB reads nothing of a file of one byte, unless a line end follows."""
        self.content.is_plain &= self.content.size != 1
        if self.copy:
            self.copy.write(b"\n")

    def _keep(self, lines: bytes, count: int) -> None:
        self._settle()
        if self.copy:
            self.copy.write(lines)
        self.content.lines += count
        self.number += count

    def _settle(self) -> None:
        for _ in range(self.waiting):
            self._replace(None)
        self.waiting = 0

    def _replace(self, reason: str | None) -> None:
        self.number += 1
        self.content.is_plain = False
        if self.copy and self.skips:
            self.copy.write(PLACEHOLDER)
            self.skips.write(json.dumps({"line_number": self.number, "reason": reason}) + "\n")


def _read(source: Readable, lines: _Lines) -> Content:
    with _hashing() as digest:
        for block in _whole_lines(_pieces(source, digest, lines.content)):
            if block is None:
                lines.leave_out(f"is longer than {LINE_BYTES >> 20} MB")
            else:
                lines.take(block)
    lines.finish()
    lines.content.sha256 = digest.sha256.hexdigest()
    return lines.content


def _pieces(source: Readable, digest: _Digest, content: Content) -> Iterator[bytes]:
    """The bytes as they come, counted and hashed, without the byte order mark."""
    while piece := source.read(BLOCK_BYTES):
        digest.pieces.put(piece)
        is_first = content.size == 0
        content.size += len(piece)
        if is_first and piece.startswith(BYTE_ORDER_MARK):
            content.is_plain = False
            piece = piece.removeprefix(BYTE_ORDER_MARK)
        yield piece


def _whole_lines(pieces: Iterator[bytes]) -> Iterator[bytes | None]:
    """Blocks of whole lines; None for each line that is longer than LINE_BYTES."""
    started = b""
    is_overlong = False
    for piece in pieces:
        end = piece.find(b"\n")
        if is_overlong or len(started) + (len(piece) if end < 0 else end) > LINE_BYTES:
            started = b""
            is_overlong = end < 0
            if is_overlong:
                continue
            yield None
            piece = piece[end + 1 :]
        cut = piece.rfind(b"\n") + 1
        if cut:
            yield started + piece[:cut]
            started = piece[cut:]
        else:
            started += piece
    if is_overlong:
        yield None
    elif started:
        yield started


def _look_over(block: bytes) -> tuple[int, bool]:
    """The number of lines, and whether one may be blank: it is empty or starts with white space."""
    characters = np.frombuffer(block, dtype=np.uint8)
    ends = np.flatnonzero(characters == NEWLINE)
    is_ended = block[-1] == NEWLINE
    starts = characters[ends[: len(ends) - is_ended] + 1]
    return len(ends) + (not is_ended), block[0] <= SPACE or bool((starts <= SPACE).any())


class _Digest:
    def __init__(self) -> None:
        self.sha256 = hashlib.sha256()
        self.pieces: queue.Queue[bytes | None] = queue.Queue(maxsize=8)

    def run(self) -> None:
        while (piece := self.pieces.get()) is not None:
            self.sha256.update(piece)


@contextmanager
def _hashing() -> Iterator[_Digest]:
    """A hash that grows in a thread of its own: hashing takes as long as all else."""
    digest = _Digest()
    thread = threading.Thread(target=digest.run, daemon=True)
    thread.start()
    try:
        yield digest
    finally:
        digest.pieces.put(None)
        thread.join()
