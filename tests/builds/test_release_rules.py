"""The release of the small repository, and what a broken one is refused for."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from dagster_defs.outputs.layout import ANSWERS, EVIDENCE, MANIFEST, QRELS, QUERIES
from dagster_defs.outputs.validate import ReleaseError, Secrets, validate_release
from tests.support.small_repo import SmallRepo


def edit_line(file: str, **changes: object) -> Callable[[Path], None]:
    """An edit of a release: changed members of a file's first line."""

    def edit(folder: Path) -> None:
        lines = (folder / file).read_text(encoding="utf-8").splitlines()
        lines[0] = json.dumps(json.loads(lines[0]) | changes)
        (folder / file).write_text("\n".join(lines) + "\n", encoding="utf-8")

    return edit


def repeat_line(file: str) -> Callable[[Path], None]:
    """An edit of a release: a file's last line once more."""

    def edit(folder: Path) -> None:
        text = (folder / file).read_text(encoding="utf-8")
        (folder / file).write_text(text + text.splitlines()[-1] + "\n", encoding="utf-8")

    return edit


def replace_in(file: str, old: str, new: str) -> Callable[[Path], None]:
    """An edit of a release: one text for another."""

    def edit(folder: Path) -> None:
        text = (folder / file).read_text(encoding="utf-8")
        assert old in text
        (folder / file).write_text(text.replace(old, new), encoding="utf-8")

    return edit


BROKEN_RELEASES = {
    "an empty question": (edit_line(QUERIES, query=""), "line 1: .* non-empty|too short"),
    "a column too many": (edit_line(QUERIES, review="x"), "line 1: .*review"),
    "a repeated question": (repeat_line(QUERIES), "q-1 appears more than once"),
    "a repeated answer row": (repeat_line(ANSWERS), "q-1 appears more than once"),
    "a wrong count": (edit_line(QUERIES, answer_count=3), "counts of q-1 disagree"),
    "another subset": (edit_line(QUERIES, subset="Image"), "subset of q-1"),
    "an answer twice": (
        edit_line(ANSWERS, answer_business_ids=["r-1", "r-1"]),
        "counts of q-1 disagree",
    ),
    "a question without answers": (edit_line(QUERIES, qid="q-2"), "is not in both"),
    "a pair that is no answer": (replace_in(QRELS, "r-2", "r-3"), "is not in both"),
    "a pair twice": (repeat_line(QRELS), "appears more than once"),
    "a score of 2": (replace_in(QRELS, "r-2\t1", "r-2\t2"), "line 3: .*score 1"),
    "another header": (replace_in(QRELS, "corpus-id", "corpus_id"), "header"),
    "evidence outside": (edit_line(EVIDENCE, business_id="r-9"), "is not an answer"),
    "no field evidence": (edit_line(EVIDENCE, family="text"), "has no record_field"),
    "raw content": (edit_line(EVIDENCE, raw_content_released=True), "line 1"),
    "a raw text": (edit_line(EVIDENCE, details={"text": "We loved it"}), "raw text"),
    "a long string": (edit_line(EVIDENCE, claim_summary="x" * 1401), "line 1"),
    "a long detail": (edit_line(EVIDENCE, details={"a": ["x" * 1401]}), "1401 characters"),
    "a local path": (
        edit_line(EVIDENCE, details={"file": "/data/yelp/tip.json"}),
        "line 1: a local path in file",
    ),
    "a photo file": (
        edit_line(EVIDENCE, claim_summary="See photos/-p_1.JPG."),
        "line 1: a photo's file name in claim_summary",
    ),
    "a short stem": (
        edit_line(EVIDENCE, source_locator_type="photo_id_stem", source_locator="a b"),
        "URL-safe",
    ),
    "a wrong total": (replace_in(MANIFEST, '"query_count": 1', '"query_count": 2'), "is 2"),
    "no JSON": (replace_in(ANSWERS, '{"qid"', '{"qid'), "line 1: is not JSON"),
}


@pytest.mark.parametrize("fault", BROKEN_RELEASES)
def test_a_broken_release_is_refused(
    fault: str, built: subprocess.CompletedProcess[str], small_repo: SmallRepo, tmp_path: Path
) -> None:
    folder = tmp_path / "release"
    shutil.copytree(small_repo.warehouse / "release", folder)
    secrets = Secrets(["/data/yelp"], {"-p_1"})
    validate_release(folder, secrets)
    edit, message = BROKEN_RELEASES[fault]
    edit(folder)
    with pytest.raises(ReleaseError, match=message):
        validate_release(folder, secrets)


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Is it near /etc/passwd, or C:\\temp\\x?", None),
        ("Like the place a.jpg, or IMG_1.png?", None),
        ("file:///srv", None),
        ("bread and/data/yelps", None),
        ("/data/yelp", "a local path"),
        ("in (/data/yelp/review.json)", "a local path"),
        ("file:///data/yelp/x", "a local path"),
        ("Like p-1, or p-1.pdf, or xp-1.jpg?", None),
        ("p-1.jpg", "a photo's file name"),
        ("a.jpg photos/p-1.jpeg.", "a photo's file name"),
        ("two words.PNG", "a photo's file name"),
    ],
)
def test_only_what_the_collection_has_is_a_secret(text: str, secret: str | None) -> None:
    assert Secrets(["/data/yelp"], {"p-1", "two words"}).find(text) == secret
