"""The photo files of a collection: the folder that holds them, and the hashes of their contents."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from dagster_defs.inputs.reading import reading
from udfs.endpoint.photo import PhotoError, read_photo
from udfs.warehouse.collection import PHOTO_FOLDER, photo_folder
from udfs.warehouse.inputs import Archive, Inputs
from udfs.warehouse.settings import Settings

PHOTO_SUFFIX = ".jpg"


def is_photo(file_name: str) -> bool:
    """Whether a file of a folder of photos is one, by its name."""
    return file_name.endswith(PHOTO_SUFFIX) and len(file_name) < 200


def find_photos(settings: Settings, archives: list[Archive]) -> Path | None:
    """The folder beside the files, or else that of the first archive with photos in it."""
    beside = photo_folder(settings)
    if beside.is_dir():
        return beside
    folders = [Path(archive.folder) / PHOTO_FOLDER for archive in archives]
    return next((folder for folder in folders if any(folder.iterdir())), None)


def list_photos(settings: Settings, folder: Path | None, known: Inputs | None) -> Path:
    """Write down the photo files and the hashes of their contents; the path of that list.

    A photo whose size and time are those of the last list is not read again.
    """
    photos: dict[str, dict[str, str]] = {}
    if folder:
        listed = _listed_photos(known) if known and known.photos == str(folder) else {}
        with reading(folder, settings), os.scandir(folder) as entries:
            for entry in entries:
                # A file whose name is no UTF-8 belongs to no row of the captions, but it is listed.
                name = os.fsencode(entry.name).decode("utf-8", "replace")
                if is_photo(name):
                    photo_id = name.removesuffix(PHOTO_SUFFIX)
                    photos[photo_id] = _photo_file(folder, entry, photo_id, listed.get(photo_id))
    listing = settings.inputs_dir / "photo_files.jsonl"
    with listing.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(photos[photo_id]) + "\n" for photo_id in sorted(photos))
    return listing


def _listed_photos(known: Inputs) -> dict[str, dict[str, str]]:
    """The entries of the last list by photo; none when the list is gone or of another version."""
    try:
        with Path(known.photo_listing).open(encoding="utf-8") as file:
            return {photo["photo_id"]: photo for photo in map(json.loads, file)}
    except (OSError, ValueError, TypeError, KeyError):
        return {}


def _photo_file(
    folder: Path, entry: os.DirEntry[str], photo_id: str, listed: dict[str, str] | None
) -> dict[str, str]:
    try:
        status = entry.stat()
        stamp = f"{status.st_size} {status.st_mtime_ns}"
    except OSError:  # a link to nothing
        stamp = ""
    if listed and stamp and listed.get("stamp") == stamp and "content_hash" in listed:
        return listed
    try:
        content_hash = hashlib.sha256(read_photo(folder, entry.name)).hexdigest()[:32]
    except PhotoError as error:
        # The file is there and cannot be shown; a caption without a file is another case.
        content_hash = f"unreadable: {error}"
    return {"photo_id": photo_id, "stamp": stamp, "content_hash": content_hash}
