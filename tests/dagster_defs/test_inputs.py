"""How files enter: names, compression, archives, copies, and that an unchanged one is kept."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import shutil
import tarfile
from pathlib import Path

import pytest

from dagster_defs.inputs import files as inputs_module
from dagster_defs.inputs import photos as photos_module
from dagster_defs.inputs.files import describe_inputs
from tests.support.staging import MODELS, collection, stage
from udfs.warehouse.collection import input_files
from udfs.warehouse.errors import UserError
from udfs.warehouse.inputs import InputFile, Inputs
from udfs.warehouse.settings import Settings

BUSINESS = b'{"business_id": "b1"}\n{"business_id": "b2"}\n'
REVIEW = b'{"review_id": "v1", "business_id": "b1", "text": "Fine."}\n'


def settings_of(data: Path, warehouse: Path) -> Settings:
    warehouse.mkdir(exist_ok=True)
    return Settings.from_env({"HETERQA_DATA": str(data), "HETERQA_WAREHOUSE": str(warehouse)})


def by_name(inputs: Inputs) -> dict[str, InputFile]:
    return {file.name: file for file in inputs.files}


def add(archive: tarfile.TarFile, name: str, content: bytes = b"", **fields: object) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    for field, value in fields.items():
        setattr(member, field, value)
    archive.addfile(member, io.BytesIO(content))


@pytest.mark.parametrize(("suffix", "mode"), [("tar", "w"), ("tgz", "w:gz"), ("tar.gz", "w:gz")])
def test_an_archive_is_the_same_collection(suffix: str, mode: str, tmp_path: Path) -> None:
    """Members lie anywhere; what is no plain file, or would lead out, is passed over."""
    plain = collection(tmp_path / "plain", business=BUSINESS, review=REVIEW)
    packed = tmp_path / "packed"
    packed.mkdir()
    with tarfile.open(packed / f"yelp.{suffix}", mode) as archive:  # type: ignore[call-overload]
        add(archive, "./._yelp_academic_dataset_business.json", b"resource fork")
        add(archive, "deep/er/business.json", b"not preferred")
        add(archive, "deep/yelp_academic_dataset_business.json", BUSINESS)
        add(archive, "../../review.json", REVIEW)
        for name in ("tip", "user", "checkin"):
            add(archive, f"/abs/{name}.json")
        add(archive, "photos.json", b"", type=tarfile.SYMTYPE, linkname="/etc/passwd")
        add(archive, "a/photos.json")
        add(archive, "photos/../../p0.jpg", b"outside")
        add(archive, "photos/p1.jpg", b"jpeg")
        add(archive, "photos/p2.jpg", b"", type=tarfile.LNKTYPE, linkname="photos/p1.jpg")
        add(archive, "photos/notes.txt", b"text")
        add(archive, "photos/p3.jpg", b"", type=tarfile.FIFOTYPE)

    out = settings_of(packed, tmp_path / "out")
    inputs = describe_inputs(out)
    for name, file in by_name(describe_inputs(settings_of(plain, tmp_path / "other"))).items():
        same = by_name(inputs)[name]
        assert (same.sha256, same.size, same.lines) == (file.sha256, file.size, file.lines)
        assert Path(same.path).is_relative_to(out.inputs_dir)
    assert inputs.photos is not None
    assert [path.name for path in Path(inputs.photos).iterdir()] == ["p1.jpg"]
    written = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert not written & {"p0.jpg", "p2.jpg", "notes.txt", "passwd"}
    con = stage(packed, tmp_path / "out")
    assert con.execute("select business_id from stg_reviews").fetchall() == [("b1",)]


def test_a_sparse_member_is_passed_over(tmp_path: Path) -> None:
    """A terabyte of nothing in a kilobyte."""
    data = collection(tmp_path / "data", business=BUSINESS)
    (data / "business.json").unlink()
    header = tarfile.TarInfo("business.json")
    header.pax_headers = {
        "GNU.sparse.major": "0",
        "GNU.sparse.minor": "1",
        "GNU.sparse.size": str(1 << 40),
        "GNU.sparse.map": "0,4",
    }
    header.size = 4
    with tarfile.open(data / "sparse.tar", "w", format=tarfile.PAX_FORMAT) as archive:
        archive.addfile(header, io.BytesIO(b"{}\n\n"))
    with pytest.raises(UserError, match=r"lacks yelp_academic_dataset_business\.json; add"):
        describe_inputs(settings_of(data, tmp_path / "out"))


def test_a_plain_file_is_preferred_to_a_member_and_a_name_to_another(tmp_path: Path) -> None:
    data = collection(tmp_path / "data", business=BUSINESS)
    (data / "checkin.json").unlink()
    (data / "tip.json.gz").write_bytes(gzip.compress(b"not preferred"))
    with tarfile.open(data / "more.tar", "w") as archive:
        add(archive, "business.json", b"{}\n" * 9)
        add(archive, "checkin.json", b"{}\n" * 3)
    files = by_name(describe_inputs(settings_of(data, tmp_path / "out")))
    assert {name: file.lines for name, file in files.items() if file.lines} == {
        "business": 2,
        "checkin": 3,
    }


def test_a_gzipped_file_is_the_same_file(tmp_path: Path) -> None:
    data = collection(tmp_path / "data", business=BUSINESS)
    with gzip.open(data / "yelp_academic_dataset_review.json.gz", "wb") as file:
        file.write(REVIEW)
    (data / "review.json").unlink()
    review = by_name(describe_inputs(settings_of(data, tmp_path / "out")))["review"]
    assert review.sha256 == hashlib.sha256(REVIEW).hexdigest()
    assert stage(data, tmp_path / "out").execute("select review_id from stg_reviews").fetchall()


@pytest.mark.parametrize("content", [b"no archive", b"", b"\x1f\x8b\x08\x00cut"])
def test_a_damaged_archive_is_named(content: bytes, tmp_path: Path) -> None:
    data = collection(tmp_path / "data")
    (data / "tip.json").unlink()
    (data / "yelp.tgz").write_bytes(content)
    with pytest.raises(UserError, match=r"yelp\.tgz is damaged or cut off \(.*\); fetch it again"):
        describe_inputs(settings_of(data, tmp_path / "out"))


def test_an_unchanged_file_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Size, time, head and tail decide, for a file as for an archive; a lost copy is made again."""
    data = collection(tmp_path / "data", business=BUSINESS, review=b"\n" + REVIEW)
    with tarfile.open(data / "tips.tar", "w") as archive:
        add(archive, "tip.json", b"{}\n")
    (data / "tip.json").unlink()
    settings = settings_of(data, tmp_path / "out")
    first = describe_inputs(settings)
    read: list[str] = []
    for name in ("survey", "copy_lines"):
        original = getattr(inputs_module, name)

        def spy(source: Path, *targets: Path, original: object = original) -> object:
            read.append(Path(getattr(source, "name", source)).name)
            return original(source, *targets)  # type: ignore[operator]

        monkeypatch.setattr(inputs_module, name, spy)
    assert describe_inputs(settings) == first
    assert read == []

    status = (data / "business.json").stat()
    changed = BUSINESS.replace(b"b2", b"b3")
    (data / "business.json").write_bytes(changed)
    os.utime(data / "business.json", ns=(status.st_atime_ns, status.st_mtime_ns))
    business = by_name(describe_inputs(settings))["business"]
    assert business.sha256 == hashlib.sha256(changed).hexdigest()
    assert read == ["business.json"]

    read.clear()
    Path(by_name(first)["review"].path).unlink()
    Path(by_name(first)["tip"].path).unlink()
    assert by_name(describe_inputs(settings))["review"] == by_name(first)["review"]
    assert sorted(read) == ["review.json", "review.json", "tips.tar"]


def test_a_photo_is_known_by_its_content_and_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = collection(tmp_path / "data")
    folder = data / "photos"
    folder.mkdir()
    (folder / "one.jpg").write_bytes(b"one")
    (folder / "two.jpg").write_bytes(b"two")
    (tmp_path / "secret.jpg").write_bytes(b"secret")
    (folder / "link.jpg").symlink_to(tmp_path / "secret.jpg")
    (folder / "gone.jpg").symlink_to(tmp_path / "nothing.jpg")
    os.mkfifo(folder / "pipe.jpg")
    read: list[str] = []
    original = photos_module.read_photo

    def spy(folder: Path, name: str) -> bytes:
        read.append(name)
        return original(folder, name)

    monkeypatch.setattr(photos_module, "read_photo", spy)

    def hashes(warehouse: Path) -> dict[str, str]:
        read.clear()
        listing = describe_inputs(settings_of(data, warehouse)).photo_listing
        photos = [json.loads(line) for line in Path(listing).read_text("utf-8").splitlines()]
        assert [photo["photo_id"] for photo in photos] == ["gone", "link", "one", "pipe", "two"]
        return {photo["photo_id"]: photo["content_hash"] for photo in photos}

    first = hashes(tmp_path / "out")
    assert first["one"] == hashlib.sha256(b"one").hexdigest()[:32] != first["two"]
    for name in ("gone", "link", "pipe"):
        assert first[name].startswith("unreadable: ")
    assert hashes(tmp_path / "out") == first
    assert set(read) == {"gone.jpg"}
    # Neither when it was written nor where it lies is what it holds.
    os.utime(folder / "one.jpg", ns=(1, 1))
    assert hashes(tmp_path / "out") == hashes(tmp_path / "other") == first
    (folder / "two.jpg").write_bytes(b"another")
    changed = hashes(tmp_path / "out")
    assert {name for name in first if changed[name] != first[name]} == {"two"}
    assert set(read) == {"gone.jpg", "two.jpg"}


def test_copies_that_nothing_needs_are_removed(tmp_path: Path) -> None:
    data = collection(tmp_path / "data", review=b"\n" + REVIEW)
    settings = settings_of(data, tmp_path / "out")
    describe_inputs(settings)
    kept = {"photo_files.jsonl"}
    assert {path.name for path in settings.inputs_dir.iterdir()} == kept | {
        "review.json",
        "review.skipped.jsonl",
    }
    (data / "review.json").write_bytes(REVIEW)
    describe_inputs(settings)
    assert {path.name for path in settings.inputs_dir.iterdir()} == kept


def test_photos_may_come_out_of_an_archive_alone(tmp_path: Path) -> None:
    """All files lie loose and the photos do not; another warehouse may read what was taken out."""
    data = collection(tmp_path / "data", business=BUSINESS)
    with tarfile.open(data / "photos.tar", "w") as archive:
        add(archive, "photos/p1.jpg", b"jpeg")
    first, second = (settings_of(data, tmp_path / name) for name in ("out", "scratch"))
    described = describe_inputs(first)
    assert (Path(str(described.photos)) / "p1.jpg").read_bytes() == b"jpeg"
    shutil.copyfile(first.descriptions_path, second.descriptions_path)
    assert describe_inputs(second).photos == described.photos
    shutil.rmtree(str(described.photos))
    assert describe_inputs(first) == described
    assert (Path(str(described.photos)) / "p1.jpg").is_file()


def test_an_archive_may_hold_what_is_missing(tmp_path: Path) -> None:
    data = collection(tmp_path / "data")
    for name in MODELS:
        (data / f"{name}.json").unlink()
    with tarfile.open(data / "half.tar", "w") as archive:
        add(archive, "business.json", BUSINESS)
    settings = settings_of(data, tmp_path / "out")
    assert set(input_files(settings).values()) == {None}
    with pytest.raises(UserError, match=r"lacks yelp_academic_dataset_review\.json, yelp_"):
        describe_inputs(settings)
