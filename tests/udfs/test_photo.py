"""Photos: small, upright, without metadata, and only from the photo folder."""

from __future__ import annotations

import base64
import io
import os
import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from udfs.endpoint import photo
from udfs.endpoint.photo import PhotoError, data_url


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "photos"
    (folder / "sub").mkdir(parents=True)
    Image.new("RGB", (1600, 800), "red").save(folder / "wide.jpg")
    Image.new("RGB", (20, 10), "red").save(folder / "sub" / "small.png")
    Image.new("RGB", (20, 10), "red").save(tmp_path / "secret.jpg")
    return folder


def opened(url: str) -> Image.Image:
    head, _, content = url.partition(",")
    assert head == "data:image/jpeg;base64"
    return Image.open(io.BytesIO(base64.b64decode(content)))


def test_a_photo_is_resized_and_a_small_one_kept(folder):
    assert opened(data_url(folder, "wide.jpg")).size == (768, 384)
    assert opened(data_url(folder, "wide.jpg", side=100)).size == (100, 50)
    assert opened(data_url(folder, "sub/small.png")).size == (20, 10)
    assert data_url(folder, "wide.jpg") == data_url(folder, "wide.jpg")


def test_it_is_upright_and_carries_no_metadata(folder):
    image = Image.new("RGB", (40, 20), "blue")
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by 90 degrees
    exif[0x010E] = "a secret place"
    image.save(folder / "turned.jpg", exif=exif, comment=b"a secret comment")
    url = data_url(folder, "turned.jpg")
    shown = opened(url)
    assert shown.size == (20, 40)
    assert not shown.getexif()
    assert b"secret" not in base64.b64decode(url.partition(",")[2])


@pytest.mark.parametrize("mode", ["RGBA", "P", "L", "LA", "1", "CMYK", "I;16"])
def test_every_mode_becomes_rgb(folder, mode):
    name = "mode.jpg" if mode == "CMYK" else "mode.png"
    Image.new(mode, (8, 8)).save(folder / name)
    assert opened(data_url(folder, name)).mode == "RGB"


def test_transparency_is_white(folder):
    Image.new("RGBA", (8, 8), (255, 0, 0, 0)).save(folder / "clear.png")
    assert min(opened(data_url(folder, "clear.png")).getpixel((4, 4))) > 250


def test_a_path_cannot_leave_the_folder(folder):
    (folder / "link.jpg").symlink_to(folder.parent / "secret.jpg")
    (folder / "out").symlink_to(folder.parent)
    outside = ["../secret.jpg", "sub/../../secret.jpg", "link.jpg", "out/secret.jpg"]
    outside += [str(folder.parent / "secret.jpg"), str(folder / "wide.jpg"), "", "a\0b.jpg"]
    for path in outside:
        with pytest.raises(PhotoError, match="path"):
            data_url(folder, path)
    (folder / "inner.jpg").symlink_to(folder / "wide.jpg")
    assert data_url(folder, "inner.jpg") == data_url(folder, "wide.jpg")


def test_what_is_no_file_is_refused(folder):
    os.mkfifo(folder / "pipe.jpg")
    (folder / "loop.jpg").symlink_to(folder / "loop.jpg")
    for path in ("none.jpg", "sub", "pipe.jpg", "loop.jpg", "wide.jpg/x"):
        with pytest.raises(PhotoError):
            data_url(folder, path)


def test_what_is_no_photo_is_refused(folder):
    whole = (folder / "wide.jpg").read_bytes()
    (folder / "cut.jpg").write_bytes(whole[: len(whole) // 2])
    (folder / "text.jpg").write_text("not a photo")
    (folder / "empty.jpg").touch()
    (folder / "page.jpg").write_text("<svg xmlns='http://www.w3.org/2000/svg'/>")
    Image.new("RGB", (4, 4)).save(folder / "other.jpg", "TIFF")
    for path in ("cut.jpg", "text.jpg", "empty.jpg", "page.jpg", "other.jpg"):
        with pytest.raises(PhotoError, match="no readable photo") as raised:
            data_url(folder, path)
        assert str(folder) not in str(raised.value)


def test_bytes_are_bounded_before_reading(folder):
    with (folder / "large.jpg").open("wb") as large:
        large.truncate(photo.MOST_BYTES + 1)
    with pytest.raises(PhotoError, match="bytes"):
        data_url(folder, "large.jpg")


@pytest.mark.parametrize("size", [(10_000, 10_000), (200_000, 200_000)])
def test_pixels_are_bounded_before_decoding(folder, size):
    def chunk(kind: bytes, content: bytes) -> bytes:
        framed = kind + content
        return struct.pack(">I", len(content)) + framed + struct.pack(">I", zlib.crc32(framed))

    head = struct.pack(">IIBBBBB", *size, 8, 0, 0, 0, 0)
    pixels = zlib.compress(b"\0" * 1_000_000)
    bomb = chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
    (folder / "bomb.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bomb)
    with pytest.raises(PhotoError, match=r"pixels|DecompressionBomb"):
        data_url(folder, "bomb.png")
