"""Photos for a model that sees: a file below the photo folder, made small.

A path cannot leave the folder, and bytes and pixels are bounded before anything is decoded.
"""

from __future__ import annotations

import base64
import io
import os
import stat
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

MOST_BYTES = 20_000_000
MOST_PIXELS = 60_000_000
FORMATS = ("JPEG", "PNG", "WEBP")


class PhotoError(ValueError):
    """Why a photo cannot be shown; the message holds no path."""


def data_url(folder: Path, path: str, side: int = 768, quality: int = 85) -> str:
    """The photo as a JPEG whose longer side has at most `side` pixels, without its metadata.

    `path` is relative to the folder. Raises PhotoError.
    """
    written = io.BytesIO()
    small_photo(read_photo(folder, path), side).save(written, "JPEG", quality=quality)
    return "data:image/jpeg;base64," + base64.b64encode(written.getvalue()).decode("ascii")


def read_photo(folder: Path, path: str) -> bytes:
    """The bytes of a file in the folder. Raises PhotoError for anything else."""
    if not path or "\0" in path or Path(path).is_absolute():
        raise PhotoError("the path is not one below the photo folder")
    root = folder.resolve()
    # Resolved first, so that neither ".." nor a link can lead outside.
    try:
        file = (root / path).resolve(strict=True)
    except (OSError, RuntimeError):
        raise PhotoError("there is no such file") from None
    if not file.is_relative_to(root):
        raise PhotoError("the path leads out of the photo folder")
    try:
        # Opening a pipe must not block, and the file that is read must be the one that was checked.
        descriptor = os.open(file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise PhotoError(f"the file cannot be read ({error.strerror})") from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise PhotoError("it is not a file")
        with os.fdopen(descriptor, "rb", closefd=False) as opened:
            content = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise PhotoError(f"the file cannot be read ({error.strerror})") from None
    finally:
        os.close(descriptor)
    if len(content) > MOST_BYTES:
        raise PhotoError(f"the file has more than {MOST_BYTES:,} bytes")
    return content


def small_photo(content: bytes, side: int) -> Image:
    """The photo upright, in RGB, its longer side at most `side` pixels. Raises PhotoError."""
    from PIL import Image, ImageOps

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(content), formats=FORMATS) as image:
                width, height = image.size
                if width * height > MOST_PIXELS:
                    raise PhotoError(f"the photo has more than {MOST_PIXELS:,} pixels")
                image.draft("RGB", (side, side))  # a JPEG is decoded small in the first place
                upright = ImageOps.exif_transpose(image)
                upright.thumbnail((side, side), Image.Resampling.LANCZOS)
                return _on_white(upright)
    except PhotoError:
        raise
    except Exception as error:
        # Pillow's decoders raise whatever a broken file makes them stumble over.
        raise PhotoError(f"the file is no readable photo ({type(error).__name__})") from None


def _on_white(image: Image) -> Image:
    """Without transparency, and without comments and whatever else the file carries."""
    from PIL import Image

    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        layers = image.convert("RGBA")
        white = Image.new("RGBA", layers.size, "white")
        flat = Image.alpha_composite(white, layers).convert("RGB")
    else:
        flat = image.convert("RGB")
    flat.info = {}
    return flat
