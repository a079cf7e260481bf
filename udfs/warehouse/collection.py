"""The files that a build reads: the collection and its archives, and the files people write."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from udfs.warehouse.errors import UserError
from udfs.warehouse.settings import Settings

REQUIRED_FILES = ("business", "review", "tip", "user", "photos")
OPTIONAL_FILES = ("checkin",)
RELEASE_FILES = {
    "release_queries": "data/queries.jsonl",
    "release_answers": "data/answers.jsonl",
    "release_qrels": "data/qrels/test.tsv",
}
ARCHIVE_SUFFIXES = (".tar", ".tgz", ".tar.gz")
PHOTO_FOLDER = "photos"


def file_names(name: str) -> tuple[str, ...]:
    """Accepted names of an input file, the preferred one first; each may be gzipped."""
    prefix = "yelp_academic_dataset_"
    plain = [f"{prefix}{name}.json", f"{name}.json"]
    if name == "photos":
        plain = ["photos.json", "photo.json", f"{prefix}photos.json", f"{prefix}photo.json"]
    return (*plain, *(f"{file}.gz" for file in plain))


def input_files(settings: Settings) -> dict[str, Path | None]:
    """The path of each input file; None for one that is absent, or that an archive may hold.

    Raises UserError when the data folder or, without archives, a required file is missing.
    """
    present = _present_files(settings)
    found = {
        name: next((present[file] for file in file_names(name) if file in present), None)
        for name in (*REQUIRED_FILES, *OPTIONAL_FILES)
    }
    if not archives(settings):
        require_files(settings, (name for name, path in found.items() if path is not None))
    return found


def archives(settings: Settings) -> list[Path]:
    """The archives in the data folder, by name."""
    present = _present_files(settings)
    return [present[file] for file in sorted(present) if file.endswith(ARCHIVE_SUFFIXES)]


def require_files(settings: Settings, found: Iterable[str]) -> None:
    """Raises UserError that names the required files which are not among those found."""
    known = set(found)
    missing = [file_names(name)[0] for name in REQUIRED_FILES if name not in known]
    if missing:
        raise UserError(
            f"HETERQA_DATA: {settings.data} lacks {', '.join(missing)}; add what is missing"
        )


def photo_folder(settings: Settings) -> Path:
    """The folder that holds the photo files, where no archive does."""
    return settings.data / PHOTO_FOLDER


def field_catalog_path(settings: Settings) -> Path | None:
    """The collection's field catalogue: the one that is set, else the one beside its files.

    Raises UserError when the one that is set is not there.
    """
    if settings.fields is None:
        beside = settings.data / "field_catalog.csv"
        return beside if beside.is_file() else None
    if not settings.fields.is_file():
        raise UserError(
            f"HETERQA_FIELDS: there is no file {settings.fields}; "
            "give the path of a field catalogue in CSV, or unset it"
        )
    return settings.fields


def release_files(settings: Settings) -> dict[str, Path]:
    """The path of each file of the release whose questions are evaluated; none without one.

    Each may be compressed, `.gz`. Raises UserError when the folder or a file is missing.
    """
    release = settings.release
    if release is None:
        return {}
    if not release.is_dir():
        raise UserError(
            f"HETERQA_RELEASE: there is no folder {release}; "
            "give the folder of a release, which holds data/queries.jsonl, or unset it"
        )
    files = {}
    for name, file in RELEASE_FILES.items():
        found = [path for path in (release / file, release / f"{file}.gz") if path.is_file()]
        if not found:
            raise UserError(
                f"HETERQA_RELEASE: {release} lacks {file}; give the folder of a whole "
                f"release: {', '.join(RELEASE_FILES.values())}"
            )
        files[name] = found[0]
    return files


def written_files(settings: Settings) -> dict[str, list[Path]]:
    """The files that people write, by what they are; no path for those that this build has not.

    Those of a release may be compressed. Decisions belong to questions that a build constructs, so
    with a release there are none. Raises UserError for a file that a setting names and that is
    not there.
    """
    catalogue, quotas = field_catalog_path(settings), settings.quotas
    if quotas and not quotas.is_file():
        raise UserError(
            f"HETERQA_QUOTAS: there is no file {quotas}; "
            "give the path of a CSV with the columns subset and questions, or unset it"
        )
    release = release_files(settings)
    return {name: [release[name]] if release else [] for name in RELEASE_FILES} | {
        "fields": [catalogue] if catalogue else [],
        "quotas": [quotas] if quotas else [],
        "decisions": [] if release else sorted(settings.decisions_dir.glob("*.jsonl")),
    }


def _present_files(settings: Settings) -> dict[str, Path]:
    data = settings.data
    if not data.exists():
        hint = (
            "run `make run`, which generates the sample city there"
            if settings.is_sample_city
            else "point it at a folder in the layout of the Yelp Open Dataset, or unset it"
        )
        raise UserError(f"HETERQA_DATA: there is no folder {data}; {hint}")
    if not data.is_dir():
        raise UserError(
            f"HETERQA_DATA: {data} is a file; give the folder that holds the Yelp files"
        )
    # Listing the folder keeps the match case-sensitive on every file system.
    try:
        return {entry.name: entry for entry in data.iterdir() if entry.is_file()}
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UserError(
            f"HETERQA_DATA: {data} cannot be read ({reason}); make it readable"
        ) from None
