"""The input files: whether they are there, their sizes and hashes, and the copies for staging."""

from __future__ import annotations

import gzip
import hashlib
import shutil
import tarfile
from pathlib import Path

from dagster_defs.inputs.lines import LINE_BYTES, Content, Readable, copy_lines, survey
from dagster_defs.inputs.photos import find_photos, is_photo, list_photos
from dagster_defs.inputs.reading import reading
from dagster_defs.terminal.progress import say
from udfs.warehouse.collection import (
    OPTIONAL_FILES,
    PHOTO_FOLDER,
    RELEASE_FILES,
    REQUIRED_FILES,
    archives,
    file_names,
    input_files,
    photo_folder,
    require_files,
    written_files,
)
from udfs.warehouse.errors import UserError
from udfs.warehouse.inputs import Archive, InputFile, Inputs, read_inputs, write_inputs
from udfs.warehouse.settings import Settings

NAMES = (*REQUIRED_FILES, *OPTIONAL_FILES)
# The hash of the head and the tail tells files apart that have one size and one time.
EDGE_BYTES = 1 << 16


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


def describe_inputs(settings: Settings) -> Inputs:
    """Describe every input file that is there; an unchanged one is not read again.

    A file that lies in an archive, is compressed, or has lines that DuckDB cannot read is copied
    to `<warehouse>/inputs/`. Writes the descriptions to `<warehouse>/input_files.json`. Raises
    UserError for a missing or a damaged file, and for one that people write and that is no text.
    """
    found = input_files(settings)
    known = read_inputs(settings)
    settings.inputs_dir.mkdir(parents=True, exist_ok=True)
    files = {
        name: _describe(settings, name, path, known)
        for name, path in found.items()
        if path is not None
    }
    opened = []
    if len(files) < len(NAMES) or not photo_folder(settings).is_dir():
        opened = [_open_archive(settings, path, known) for path in archives(settings)]
    for archive in opened:
        files = {file.name: file for file in archive.files} | files
    require_files(settings, files)

    written = written_files(settings)
    for name in written.keys() - RELEASE_FILES.keys():
        for path in written[name]:
            _read_text(settings, path)
    photos = find_photos(settings, opened)
    inputs = Inputs(
        data=str(settings.data),
        files=[files[name] for name in NAMES if name in files],
        archives=opened,
        photos=str(photos) if photos else None,
        photo_listing=str(list_photos(settings, photos, known)),
        release=[
            _describe_text(settings, name, path, known)
            for name in RELEASE_FILES
            for path in written[name]
        ],
    )
    write_inputs(settings, inputs)
    _sweep(settings, inputs)
    return inputs


def _describe(settings: Settings, name: str, path: Path, known: Inputs | None) -> InputFile:
    with reading(path, settings):
        stamp = _stamp(path)
        for file in known.files if known else []:
            if (file.name, file.origin, file.stamp) == (name, str(path), stamp) and _is_kept(file):
                return file
        if path.suffix != ".gz":
            content = survey(path)
            if content.is_plain:
                return _input_file(name, path, stamp, path, None, content)
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as source:
            return _copy(name, path, stamp, source, settings.inputs_dir)


def _describe_text(settings: Settings, name: str, path: Path, known: Inputs | None) -> InputFile:
    """Describe a file of a release, which is small and has to be right as it is."""
    with reading(path, settings):
        stamp = _stamp(path)
        for file in known.release if known else []:
            if (file.origin, file.stamp) == (str(path), stamp):
                return file
    text = _read_text(settings, path)
    content = Content(
        size=len(text), sha256=hashlib.sha256(text).hexdigest(), lines=len(text.splitlines())
    )
    return _input_file(name, path, stamp, path, None, content)


def _read_text(settings: Settings, path: Path) -> bytes:
    """The content of a file that people write. Raises UserError for a line that is no text."""
    with (
        reading(path, settings),
        gzip.open(path) if path.suffix == ".gz" else path.open("rb") as source,
    ):
        text = source.read()
    for number, line in enumerate(text.split(b"\n"), start=1):
        _check_text(path, number, line)
    return text


def _check_text(path: Path, number: int, line: bytes) -> None:
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


def _copy(name: str, origin: Path, stamp: str, source: Readable, folder: Path) -> InputFile:
    """Copy an input file into a folder, in one step: a killed copy is never read."""
    copy, skipped = folder / f"{name}.json", folder / f"{name}.skipped.jsonl"
    unfinished = [path.with_name(path.name + ".new") for path in (copy, skipped)]
    content = copy_lines(source, *unfinished)
    unfinished[1].replace(skipped)
    unfinished[0].replace(copy)
    return _input_file(name, origin, stamp, copy, skipped, content)


def _input_file(
    name: str, origin: Path, stamp: str, path: Path, skipped: Path | None, content: Content
) -> InputFile:
    return InputFile(
        name=name,
        origin=str(origin),
        stamp=stamp,
        path=str(path),
        skipped=str(skipped) if skipped else None,
        size=content.size,
        sha256=content.sha256,
        lines=content.lines,
        blank_lines=content.blank_lines,
    )


def _is_kept(file: InputFile) -> bool:
    return Path(file.path).is_file() and (file.skipped is None or Path(file.skipped).is_file())


def _stamp(path: Path) -> str:
    """The file's size, its time, and a hash of its head and tail: an edit changes one of them."""
    status = path.stat()
    with path.open("rb") as file:
        edges = hashlib.sha256(file.read(EDGE_BYTES))
        file.seek(max(0, status.st_size - EDGE_BYTES))
        edges.update(file.read(EDGE_BYTES))
    return f"{status.st_size} {status.st_mtime_ns} {edges.hexdigest()[:32]}"


# Archives


def _open_archive(settings: Settings, path: Path, known: Inputs | None) -> Archive:
    """Take the input files and the photos out of an archive, once."""
    with reading(path, settings):
        stamp = _stamp(path)
        for archive in known.archives if known else []:
            is_same = (archive.origin, archive.stamp) == (str(path), stamp)
            is_there = (Path(archive.folder) / PHOTO_FOLDER).is_dir()
            if is_same and is_there and all(_is_kept(file) for file in archive.files):
                return archive
        folder = settings.inputs_dir / path.name
        shutil.rmtree(folder, ignore_errors=True)
        (folder / PHOTO_FOLDER).mkdir(parents=True)
        with tarfile.open(path, "r|*") as members:
            files = _take_out(members, path, stamp, folder)
    return Archive(str(path), stamp, str(folder), list(files.values()))


def _take_out(
    archive: tarfile.TarFile, origin: Path, stamp: str, folder: Path
) -> dict[str, InputFile]:
    """The input files of an archive, wherever in it they lie, and its photos.

    Nothing is written under a name that the archive gives but photos, whose names are checked; a
    link, a device or a sparse file is passed over.
    """
    wanted = {
        file_name: (name, rank)
        for name in NAMES
        for rank, file_name in enumerate(file_names(name))
        if not file_name.endswith(".gz")
    }
    ranks: dict[str, int] = {}
    files: dict[str, InputFile] = {}
    for member in archive:
        # tarfile would keep a record of each of 200,000 photos in memory.
        archive.members = []  # type: ignore[attr-defined]
        content = archive.extractfile(member) if _is_plain_file(member) else None
        if content is None:
            continue
        parts = member.name.replace("\\", "/").split("/")
        name, rank = wanted.get(parts[-1], ("", 0))
        if name and rank < ranks.get(name, len(wanted)):
            ranks[name] = rank
            files[name] = _copy(name, origin, stamp, content, folder)
        elif parts[-2:-1] == [PHOTO_FOLDER] and is_photo(parts[-1]):
            with (folder / PHOTO_FOLDER / parts[-1]).open("wb") as photo:
                shutil.copyfileobj(content, photo)
    return files


def _is_plain_file(member: tarfile.TarInfo) -> bool:
    return member.type in (tarfile.REGTYPE, tarfile.AREGTYPE) and not member.issparse()


def _sweep(settings: Settings, inputs: Inputs) -> None:
    """Remove the copies that the descriptions do not name any more."""
    kept = {Path(inputs.photo_listing)} | {Path(archive.folder) for archive in inputs.archives}
    for file in inputs.files:
        kept |= {Path(path) for path in (file.path, file.skipped) if path}
    for path in settings.inputs_dir.iterdir():
        if path not in kept and path.is_dir():
            shutil.rmtree(path)
        elif path not in kept:
            path.unlink()
