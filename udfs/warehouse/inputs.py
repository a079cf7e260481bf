"""Descriptions of the input files as the last build read them; the staging models follow them."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from udfs.warehouse.settings import Settings


@dataclass(frozen=True)
class InputFile:
    """One input file; size, hash and lines are those of its content, unpacked.

    origin: the file in the data folder, an archive perhaps
    stamp: tells whether the origin has changed since
    path: what is read, the origin itself or a copy in `inputs/`
    skipped: list of the lines that the copy has not, as JSON lines; None when there are none
    lines: lines with something in them, which staging accepts or rejects
    """

    name: str
    origin: str
    stamp: str
    path: str
    skipped: str | None
    size: int
    sha256: str
    lines: int
    blank_lines: int


@dataclass(frozen=True)
class Archive:
    """An archive of the data folder, the folder it was taken out to, and its input files."""

    origin: str
    stamp: str
    folder: str
    files: list[InputFile]


@dataclass(frozen=True)
class Inputs:
    """All that a build reads.

    photos: folder of the photo files; None when there is none
    photo_listing: their names without the suffix and what is in them, one JSON line each
    release: the files of a release whose questions are evaluated
    """

    data: str
    files: list[InputFile]
    archives: list[Archive]
    photos: str | None
    photo_listing: str
    release: list[InputFile]


def read_inputs(settings: Settings) -> Inputs | None:
    """The last build's descriptions; None without them, or when the data folder was another."""
    try:
        rows = json.loads(settings.descriptions_path.read_text(encoding="utf-8"))
        archives = [
            Archive(**archive | {"files": [InputFile(**file) for file in archive["files"]]})
            for archive in rows["archives"]
        ]
        files = [InputFile(**file) for file in rows["files"]]
        release = [InputFile(**file) for file in rows["release"]]
        inputs = Inputs(**rows | {"files": files, "archives": archives, "release": release})
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return inputs if inputs.data == str(settings.data) else None


def write_inputs(settings: Settings, inputs: Inputs) -> None:
    text = json.dumps(asdict(inputs), indent=2)
    settings.descriptions_path.write_text(text, encoding="utf-8")
