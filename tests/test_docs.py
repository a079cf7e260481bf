"""The pages of docs/ hold together: indexes, links, and the tables and files that they name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.render import REPO

PAGES = sorted([*REPO.glob("*.md"), *(REPO / "docs").glob("*.md")])
FENCE = re.compile(r"^```.*?^```", re.M | re.S)


def anchor(heading: str) -> str:
    """The anchor that a Markdown renderer gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def headings(page: Path) -> list[str]:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    return re.findall(r"^#+ (.+)$", text, re.M)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", text):
        path, _, place = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), target
        assert not place or place in map(anchor, headings(linked)), target


def test_the_index_of_decisions_has_every_heading_once() -> None:
    page = REPO / "docs" / "decisions.md"
    indexed = re.findall(r"^ *- \[.+\]\(#(.+)\)$", page.read_text(encoding="utf-8"), re.M)
    assert indexed == [anchor(heading) for heading in headings(page)[1:]]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_named_file_is_there(page: Path) -> None:
    """Paths in backquotes that start in a room of the house; `*` stands for any name."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    rooms = "models|macros|seeds|udfs|dagster_defs|dbt_project|sample_city|tests|docs"
    named = re.findall(rf"`((?:{rooms})/[\w./*-]*)`", text)
    gone = [path for path in named if not any(REPO.glob(path.rstrip("/")))]
    assert not gone


def test_the_pictures_name_tables_that_exist() -> None:
    """Words with an underscore in the labels of docs/tables.md are models."""
    text = (REPO / "docs" / "tables.md").read_text(encoding="utf-8")
    labels = re.findall(r'\["(.+?)"\]', text)
    named = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", " ".join(labels)))
    folders = {path.name for path in (REPO / "models").rglob("*") if path.is_dir()}
    models = {path.stem for path in (REPO / "models").rglob("*") if path.suffix in (".sql", ".py")}
    columns = {"request_key", "vector_key", "is_certified"}
    assert named - models - folders - columns == set()
