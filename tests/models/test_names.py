"""A record is a record: only what reads or writes files of a given layout has its words."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from udfs.warehouse.places import REPO

WORDS = re.compile(r"business|yelp", re.IGNORECASE)
ROOMS = ("models", "macros", "seeds", "udfs", "dagster_defs", "dbt_project", "docs")

# Where the layout of the input files or of the release is read, written or explained.
LAYOUT = {
    "models/staging/": "reads the files",
    "models/release/": "has the layout of the release",
    "models/quality/truth/": "reads the sample city's truth, keyed like its files",
    "macros/files/": "reads the files",
    "macros/materializations/": "reads the files",
    "udfs/warehouse/collection.py": "names the files",
    "udfs/warehouse/settings.py": "names the layout",
    "udfs/warehouse/inputs.py": "names the files",
    "udfs/plugin.py": "names the files",
    "dagster_defs/inputs/": "reads the files",
    "dagster_defs/outputs/": "writes and reads releases",
    "dagster_defs/terminal/summary.py": "reads the release",
    "docs/": "explains the layout",
}
# Elsewhere: words of the data, and where sources take over what staging read.
LINES = (
    r"ref\('stg_businesses'\)|inputs=\[[^]]*\]|rename \(business_id as record_id\)",
    r"\bbusiness_id: \w+,|'b1' as business_id|\(review_id, business_id, user_id,",  # unit tests
    r"\bbusiness_(parking|accepts)\w*|BusinessParking|BusinessAccepts\w*",  # names of fields
    r"open for business|out of business|in business|business: business",  # English
)


def violations(path: Path) -> list[str]:
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        rest = line
        for allowed in LINES:
            rest = re.sub(allowed, "", rest)
        if WORDS.search(rest):
            found.append(f"{path}:{number}: {line.strip()}")
    return found


def sources() -> list[Path]:
    return [
        path
        for room in ROOMS
        for path in sorted((REPO / room).rglob("*"))
        if path.is_file()
        and path.suffix in (".sql", ".yml", ".py", ".csv", ".md", ".txt", ".j2")
        and not any(str(path.relative_to(REPO)).startswith(place) for place in LAYOUT)
        and "words" not in path.parts  # what visitors write about, in plain words
    ]


def test_no_room_but_the_first_knows_the_layout() -> None:
    found = [line for path in sources() for line in violations(path)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "line", ["select business_name from x", "-- as Yelp has it", "from businesses", "-- BusinessId"]
)
def test_a_new_mention_is_found(line: str, tmp_path: Path) -> None:
    path = tmp_path / "model.sql"
    path.write_text(f"select 1\n{line}\n", encoding="utf-8")
    assert len(violations(path)) == 1
