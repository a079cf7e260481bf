"""The embedded default collection: one believable fictional city in the Yelp Open Dataset layout.

First the truth is drawn (every field, feature and visible thing of every place), then what the
world shows of it: business files with gaps, reviews and tips, captions. The truth goes to files
of its own, which no construction model may read. The words are in `words/`, one file a topic.
"""

import hashlib
import json
import shutil
from functools import cache
from pathlib import Path

from udfs.warehouse.folders import replace_folder

DEFAULT_SEED = 20240601
STAMP = "stamp.json"

__all__ = ["DEFAULT_SEED", "generate", "is_current"]


def generate(
    out_dir: Path,
    truth_dir: Path,
    seed: int = DEFAULT_SEED,
    records: int = 400,
    users: int = 200,
    texts: int = 4000,
    photos: int = 800,
) -> None:
    """Writes the city to `out_dir` and its truth to `truth_dir`, replacing an older city there.

    Both folders are built beside their place and renamed: a kill leaves no half of one. Raises
    ValueError when a folder holds something else, or when the numbers do not fit each other.
    """
    # Imported here: reading the words takes most of a second, and `is_current` needs none of them.
    from . import files, truth
    from .photos import write_photos
    from .sentences import Teller
    from .texts import MOST_TEXTS, Writer
    from .world import draw_businesses, draw_users

    if records < 1 or users < 10 or not 2 * records <= texts <= MOST_TEXTS // 2 * records:
        raise ValueError(
            "the sample city needs 1 record, 10 users, and 2 texts a record at least "
            f"and {MOST_TEXTS // 2} at most"
        )
    for folder in (out_dir, truth_dir):
        if folder.exists() and any(folder.iterdir()) and not (folder / STAMP).exists():
            raise ValueError(
                f"{folder} holds files that are no sample city; move them or name another folder"
            )
    places, people = draw_businesses(seed, records), draw_users(seed, users)
    attributes = files.show_attributes(seed, places)
    shown = {key: files.shown_fields(literals) for key, literals in attributes.items()}
    teller = Teller(shown, texts)
    reviews, tips = Writer(seed, teller).write_texts(places, people, texts)
    pictures = write_photos(seed, teller, places, photos)

    new_out, new_truth = _new_folder(out_dir), _new_folder(truth_dir)
    files.write_city(new_out, seed, places, attributes, people, reviews, tips, pictures)
    truth.write_truth(new_truth, places, people, reviews, tips, pictures)
    stamp = _stamp(seed, records, users, texts, photos)
    for new, folder in ((new_truth, truth_dir), (new_out, out_dir)):
        (new / STAMP).write_text(stamp, encoding="utf-8")
        replace_folder(new, folder)


def is_current(
    out_dir: Path,
    truth_dir: Path,
    seed: int = DEFAULT_SEED,
    records: int = 400,
    users: int = 200,
    texts: int = 4000,
    photos: int = 800,
) -> bool:
    """Whether both folders hold the city that `generate` would write with these arguments."""
    stamp = _stamp(seed, records, users, texts, photos)
    stamps = [folder / STAMP for folder in (out_dir, truth_dir)]
    return all(path.is_file() and path.read_text(encoding="utf-8") == stamp for path in stamps)


def _new_folder(folder: Path) -> Path:
    new = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    return new


def _stamp(seed: int, records: int, users: int, texts: int, photos: int) -> str:
    arguments = {
        "version": _version(),
        "seed": seed,
        "records": records,
        "users": users,
        "texts": texts,
        "photos": photos,
    }
    return json.dumps(arguments, indent=1) + "\n"


@cache
def _version() -> str:
    """Changes with every change of this package or its words."""
    package = Path(__file__).parent
    paths = sorted([*package.glob("*.py"), *package.glob("words/*.yml")])
    digest = hashlib.md5(usedforsecurity=False)
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()
