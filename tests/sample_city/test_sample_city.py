"""The sample city: layout, truth, repetition, coverage and sameness."""

import ast
import hashlib
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import sample_city
from sample_city import words
from sample_city.draws import Draws
from sample_city.wording import ALTERNATIVES, LIST_NAME, expand

ROOT = Path(__file__).resolve().parents[2]
SMALL = {"records": 60, "users": 30, "texts": 400, "photos": 80}
Rows = list[dict[str, Any]]


class City:
    """The default city, read back from its files."""

    def __init__(self, folder: Path) -> None:
        self.out, self.truth = folder / "city", folder / "truth"
        sample_city.generate(self.out, self.truth)
        self.businesses = self.read("yelp_academic_dataset_business.json")
        self.reviews = self.read("yelp_academic_dataset_review.json")
        self.tips = self.read("yelp_academic_dataset_tip.json")
        self.users = self.read("yelp_academic_dataset_user.json")
        self.photos = self.read("photos.json")
        self.fields = read(self.truth / "fields.jsonl")
        self.sentences = read(self.truth / "sentences.jsonl")

    def read(self, name: str) -> Rows:
        return read(self.out / name)


def read(path: Path) -> Rows:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="session")
def city(tmp_path_factory: pytest.TempPathFactory) -> City:
    return City(tmp_path_factory.mktemp("sample"))


def digest(folder: Path) -> str:
    total = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        total.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return total.hexdigest()


def run_small(folder: Path, hash_seed: str) -> str:
    arguments = [word for key, value in SMALL.items() for word in (f"--{key}", str(value))]
    folders = ["--out", str(folder / "city"), "--truth", str(folder / "truth")]
    subprocess.run(
        [sys.executable, "-m", "sample_city", *folders, *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        check=True,
    )
    return digest(folder)


def test_same_bytes_under_any_hash_seed(tmp_path: Path) -> None:
    first = run_small(tmp_path / "first", "1")
    assert first == run_small(tmp_path / "second", "4242")
    sample_city.generate(tmp_path / "third/city", tmp_path / "third/truth", seed=5, **SMALL)
    assert first != digest(tmp_path / "third")


def test_a_current_city_is_recognised_and_foreign_files_are_kept(tmp_path: Path) -> None:
    out, truth = tmp_path / "city", tmp_path / "truth"
    assert not sample_city.is_current(out, truth, **SMALL)
    # What a killed run leaves behind does no harm.
    (tmp_path / ".city.new" / "photos").mkdir(parents=True)
    sample_city.generate(out, truth, **SMALL)
    assert sample_city.is_current(out, truth, **SMALL)
    assert not sample_city.is_current(out, truth, seed=1, **SMALL)
    sample_city.generate(out, truth, seed=1, **SMALL)
    assert sample_city.is_current(out, truth, seed=1, **SMALL)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["city", "truth"]

    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("do not lose")
    with pytest.raises(ValueError, match="no sample city"):
        sample_city.generate(tmp_path / "mine", truth, **SMALL)
    assert (tmp_path / "mine" / "thesis.txt").exists()


def test_a_run_that_dies_leaves_the_old_city(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, truth = tmp_path / "city", tmp_path / "truth"
    sample_city.generate(out, truth, **SMALL)
    before = digest(out), digest(truth)

    def die(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sample_city.truth, "write_truth", die)
    with pytest.raises(KeyboardInterrupt):
        sample_city.generate(out, truth, seed=1, **SMALL)
    assert (digest(out), digest(truth)) == before
    assert sample_city.is_current(out, truth, **SMALL)


def test_numbers_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    for wrong in ({"texts": 100}, {"users": 3}, {"texts": 60 * 60}):
        with pytest.raises(ValueError, match="2 texts a record"):
            sample_city.generate(tmp_path / "a", tmp_path / "b", **{**SMALL, **wrong})
    assert not list(tmp_path.iterdir())


def test_layout_and_keys(city: City) -> None:
    assert len(city.businesses) == 400
    assert len(city.users) == 200
    assert len(city.reviews) + len(city.tips) == 4000
    assert len(city.photos) == 800
    ids = {row["business_id"] for row in city.businesses}
    users = {row["user_id"] for row in city.users}
    assert len(ids) == 400 and all(len(key) == 22 for key in ids | users)
    assert len({row["review_id"] for row in city.reviews}) == len(city.reviews)
    tip_keys = {(t["user_id"], t["business_id"], t["date"]) for t in city.tips}
    assert len(tip_keys) == len(city.tips)
    for row in city.reviews + city.tips:
        assert row["business_id"] in ids and row["user_id"] in users
    pairs = Counter((row["user_id"], row["business_id"]) for row in city.reviews)
    assert max(pairs.values()) == 1


def test_counts_and_stars_agree_with_the_reviews(city: City) -> None:
    stars = defaultdict(list)
    by_user = Counter(row["user_id"] for row in city.reviews)
    for row in city.reviews:
        stars[row["business_id"]].append(row["stars"])
    for business in city.businesses:
        own = stars[business["business_id"]]
        assert business["review_count"] == len(own) >= 1
        assert abs(business["stars"] - sum(own) / len(own)) <= 0.25
        assert business["stars"] * 2 == int(business["stars"] * 2)
    assert all(user["review_count"] == by_user[user["user_id"]] for user in city.users)
    texts = Counter(row["business_id"] for row in city.reviews + city.tips)
    assert min(texts.values()) == 2 and 40 <= max(texts.values()) <= 80


def test_kinds_and_categories(city: City) -> None:
    categories = [row["categories"].split(", ") for row in city.businesses]
    assert all(2 <= len(own) <= 4 and len(set(own)) == len(own) for own in categories)
    counts = Counter(category for own in categories for category in own)
    assert sum(count >= 3 for count in counts.values()) >= 30
    assert len({row["city"] for row in city.businesses}) >= 5
    names = Counter(row["name"] for row in city.businesses)
    assert 1 <= sum(count > 1 for count in names.values()) <= 3
    assert any(not name.isascii() for name in names)
    assert sum(row["is_open"] for row in city.businesses) >= 340


def test_coverage_is_that_of_the_table(city: City) -> None:
    known: Counter[str] = Counter()
    nones = 0
    for business in city.businesses:
        for attribute, literal in (business["attributes"] or {}).items():
            known[attribute] += literal != "None"
            nones += literal == "None"
    assert nones > 100
    for attribute, coverage in words.read_coverage().items():
        # Some fields apply to fewer places than the table covers, none to more.
        assert 1 <= known[attribute] <= max(1, round(400 * coverage))
        if coverage >= 0.1:
            assert known[attribute] >= 0.75 * 400 * coverage, attribute
    assert known["BusinessParking"] > 320 and known["DietaryRestrictions"] == 1


def test_shown_values_are_literals_and_true(city: City) -> None:
    truth = {(row["business_id"], row["field"]): row["value"] for row in city.fields}
    leaves = 0
    for business in city.businesses:
        for attribute, literal in (business["attributes"] or {}).items():
            value = ast.literal_eval(literal)
            shown = value if isinstance(value, dict) else {None: value}
            for leaf, own in shown.items():
                if own is not None:
                    name = words.field_name(attribute, leaf)
                    assert truth[business["business_id"], name] == str(own).lower()
                    leaves += 1
    assert leaves > 5000


def test_truth_is_complete(city: City) -> None:
    names = defaultdict(set)
    for row in city.fields:
        names[row["business_id"]].add(row["field"])
    core = {"city", "state", "stars", "is_open", "wheelchair_accessible"}
    assert all(core <= names[business["business_id"]] for business in city.businesses)
    dentists = [b for b in city.businesses if "Dentists" in b["categories"]]
    assert dentists and not any("alcohol" in names[b["business_id"]] for b in dentists)
    assert len({row["field"] for row in city.fields}) == 81 + 4
    features = read(city.truth / "features.jsonl")
    assert {row["polarity"] for row in features} == {"positive", "negative"}
    assert 40 <= len({row["feature_key"] for row in features}) <= 60
    assert len({row["thing_key"] for row in read(city.truth / "visible.jsonl")}) >= 60


def test_each_sentence_of_the_truth_is_in_its_text(city: City) -> None:
    content = {row["review_id"]: row["text"] for row in city.reviews}
    content |= {f"{t['user_id']}|{t['business_id']}|{t['date']}": t["text"] for t in city.tips}
    content |= {row["photo_id"]: row["caption"] for row in city.photos}
    told = defaultdict(list)
    for row in city.sentences:
        assert row["sentence"] in content[row["row_key"]]
        told[row["row_key"]].append(row)
    for key, rows in told.items():
        whole = " ".join(dict.fromkeys(row["sentence"] for row in rows))
        assert whole == content[key].replace("\n\n", " ")
    silent = [row for row in city.photos if not row["caption"]]
    assert {key for key, text in content.items() if text} == told.keys()
    assert 20 <= len(silent) <= 60


def test_statements_agree_with_the_truth_as_marked(city: City) -> None:
    truth = {(row["business_id"], row["field"]): row["value"] for row in city.fields}
    wrong = 0
    for row in city.sentences:
        if row["kind"] == "field":
            name, value = row["key"].split("=")
            holds = truth[row["business_id"], name] == value
            assert (holds == row["asserted"]) == row["is_true"], row
            wrong += not row["is_true"]
    assert 0.02 < wrong / sum(row["kind"] == "field" for row in city.sentences) < 0.06


def test_no_sentence_is_worn_out(city: City) -> None:
    texts = Counter(row["sentence"] for row in city.sentences if row["source"] != "photo")
    assert max(texts.values()) <= 3
    assert sum(texts.values()) < 1.1 * len(texts)
    captions = Counter(row["caption"] for row in city.photos if row["caption"])
    assert max(captions.values()) <= 3


def test_photos_open_and_are_small(city: City) -> None:
    paths = sorted((city.out / "photos").iterdir())
    assert [path.stem for path in paths] == sorted(row["photo_id"] for row in city.photos)
    assert sum(path.stat().st_size for path in paths) < 2_000_000
    for path in paths[::20]:
        with Image.open(path) as image:
            image.load()
            assert image.format == "JPEG" and image.size == (96, 96)
    assert max(Counter(row["business_id"] for row in city.photos).values()) <= 6


def test_people_with_a_taste_praise_it_in_many_places(city: City) -> None:
    tastes = {(row["user_id"], row["feature_key"]) for row in read(city.truth / "relations.jsonl")}
    praised = defaultdict(set)
    for row in city.sentences:
        if row["kind"] == "feature" and row["asserted"]:
            praised[row["user_id"], row["key"]].add(row["business_id"])
    assert sum(len(praised[pair]) >= 2 for pair in tastes) >= 150


def test_every_field_has_enough_wordings() -> None:
    for field in words.read_fields():
        for value, wordings in field.says.items():
            enough = 6 if value == "true" else 4
            assert len(wordings) >= enough, f"{field.name}={value}"
    for feature in words.read_features():
        assert len(feature.says) >= 5 and len(feature.denies) >= 5, feature.key


def test_every_wording_can_be_read() -> None:
    prose = words.read("prose")["lists"]
    every = [w for field in words.read_fields() for ws in field.says.values() for w in ws]
    every += [w for feature in words.read_features() for w in feature.says + feature.denies]
    for wording in every:
        sentence = expand(wording, Draws(wording), prose)
        assert not ALTERNATIVES.search(sentence) and not LIST_NAME.search(sentence)
        assert not set(sentence) & set("{}<>|"), wording
