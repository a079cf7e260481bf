"""Small pictures of visible things: a shape or a pattern in two colours, as JPEG."""

import io
import math

from PIL import Image, ImageColor, ImageDraw

from .draws import Draws

SIZE = 96
BACKGROUNDS = {
    "inside": "antiquewhite",
    "outside": "lightskyblue",
    "food": "linen",
    "drink": "lavender",
    "menu": "gainsboro",
}
Colour = tuple[int, ...]


def draw_photo(photo_id: str, label: str, draw: tuple[str, str, str]) -> bytes:
    """The JPEG file of a photo; the same bytes for the same photo."""
    draws = Draws("drawing", photo_id)
    shape, *names = draw
    first, second = (_shade(name, draws) for name in names)
    image = Image.new("RGB", (SIZE, SIZE), _shade(BACKGROUNDS[label], draws))
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 80, SIZE, SIZE), fill=_shade("tan", draws))
    dx, dy = draws.integer(-6, 6), draws.integer(-5, 5)
    for figure, colour, box in _figures(shape, draws):
        moved = [value + (dx if place % 2 == 0 else dy) for place, value in enumerate(box)]
        fill = first if colour == 0 else second
        if figure == "oval":
            pen.ellipse(moved, fill=fill)
        elif figure == "box":
            pen.rectangle(moved, fill=fill)
        elif figure == "line":
            pen.line(moved, fill=fill, width=4)
        else:
            pen.polygon(moved, fill=fill)
    file = io.BytesIO()
    image.save(file, "JPEG", quality=62)
    return file.getvalue()


def _shade(name: str, draws: Draws) -> Colour:
    return tuple(
        min(255, max(0, part + draws.integer(-12, 12))) for part in ImageColor.getrgb(name)[:3]
    )


Figure = tuple[str, int, tuple[int, ...]]


def _figures(shape: str, draws: Draws) -> list[Figure]:
    """Figures of a shape: what, which of the two colours, and its coordinates."""
    if shape in FIGURES:
        return FIGURES[shape]
    if shape == "dots":
        places = [(draws.integer(8, 82), draws.integer(8, 70)) for _ in range(16)]
        return [
            ("oval", number % 3 == 0, (x, y, x + 8, y + 8)) for number, (x, y) in enumerate(places)
        ]
    raise ValueError(f"no drawing is called {shape!r}; see FIGURES in sample_city/drawing.py")


def _grid(figure: str, columns: int, rows: int, is_checkered: bool = True) -> list[Figure]:
    width, height = 80 // columns, 64 // rows
    return [
        (
            figure,
            (column + row) % 2 if is_checkered else row % 2,
            (
                8 + column * width,
                12 + row * height,
                6 + (column + 1) * width,
                10 + (row + 1) * height,
            ),
        )
        for row in range(rows)
        for column in range(columns)
    ]


def _ring_of(count: int, radius: int, size: int) -> list[Figure]:
    return [
        (
            "oval",
            0,
            (
                round(48 + radius * math.cos(math.tau * turn / count)) - size,
                round(46 + radius * math.sin(math.tau * turn / count)) - size,
                round(48 + radius * math.cos(math.tau * turn / count)) + size,
                round(46 + radius * math.sin(math.tau * turn / count)) + size,
            ),
        )
        for turn in range(count)
    ]


FLAME: Figure = ("shape", 1, (48, 22, 64, 56, 48, 74, 32, 56))
FIGURES: dict[str, list[Figure]] = {
    "arch": [("oval", 0, (20, 12, 76, 68)), ("box", 0, (20, 40, 76, 82)), FLAME],
    "flame": [("box", 0, (24, 68, 72, 80)), FLAME],
    "whale": [
        ("oval", 0, (12, 32, 72, 66)),
        ("shape", 0, (66, 48, 88, 30, 88, 64)),
        ("oval", 1, (22, 42, 28, 48)),
    ],
    "fish": [
        ("oval", 0, (18, 34, 68, 62)),
        ("shape", 1, (62, 48, 82, 34, 82, 62)),
        ("oval", 1, (26, 42, 32, 48)),
    ],
    "shelves": _grid("box", 10, 3) + [("line", 0, (6, y, 90, y)) for y in (32, 54, 76)],
    "bricks": _grid("box", 5, 6),
    "panes": _grid("box", 4, 4),
    "checker": _grid("box", 8, 8),
    "stripes": _grid("box", 8, 1),
    "lines": [
        ("box", 0, (18, 8, 78, 82)),
        *[("line", 1, (26, y, 70, y)) for y in range(18, 80, 10)],
    ],
    "leaves": [
        *[("oval", 0, (10 + 18 * n, 12 + 9 * (n % 2), 26 + 18 * n, 50)) for n in range(4)],
        ("oval", 1, (36, 54, 60, 76)),
    ],
    "flowers": [
        *[("line", 1, (18 + 20 * n, 40, 18 + 20 * n, 78)) for n in range(4)],
        *[("oval", 0, (9 + 20 * n, 24 + 6 * (n % 2), 27 + 20 * n, 44)) for n in range(4)],
    ],
    "benches": [
        ("box", 0, (10, 40, 86, 50)),
        ("box", 1, (18, 50, 24, 74)),
        ("box", 1, (72, 50, 78, 74)),
        ("box", 0, (10, 58, 86, 62)),
    ],
    "stools": [
        *[("box", 1, (20 + 24 * n, 48, 24 + 24 * n, 78)) for n in range(3)],
        *[("oval", 0, (11 + 24 * n, 38, 33 + 24 * n, 52)) for n in range(3)],
    ],
    "ring": [("oval", 0, (18, 14, 78, 74)), ("oval", 1, (28, 24, 68, 64))],
    "target": [
        ("oval", 0, (14, 10, 82, 78)),
        ("oval", 1, (26, 22, 70, 66)),
        ("oval", 0, (38, 34, 58, 54)),
    ],
    "table": [
        ("box", 1, (8, 34, 88, 66)),
        ("box", 0, (14, 38, 82, 62)),
        ("box", 1, (14, 66, 22, 82)),
        ("box", 1, (74, 66, 82, 82)),
    ],
    "tanks": [
        ("oval", 0, (10, 14, 42, 40)),
        ("box", 0, (10, 28, 42, 78)),
        ("oval", 1, (52, 14, 84, 40)),
        ("box", 1, (52, 28, 84, 78)),
    ],
    "crates": [
        ("box", 0, (14, 46, 50, 80)),
        ("box", 1, (54, 46, 86, 80)),
        ("box", 0, (34, 14, 68, 44)),
    ],
    "boat": [
        ("shape", 0, (14, 58, 82, 58, 68, 78, 28, 78)),
        ("shape", 1, (46, 12, 46, 54, 78, 54)),
        ("shape", 1, (42, 20, 42, 54, 20, 54)),
    ],
    "door": [("box", 0, (30, 16, 66, 82)), ("oval", 1, (56, 48, 62, 54))],
    "skyline": [
        ("oval", 1, (58, 10, 78, 30)),
        *[("box", 0, (8 + 20 * n, 34 + 9 * (n % 3), 24 + 20 * n, 82)) for n in range(4)],
    ],
    "frame": [
        *[("line", 0, (x, 20, x, 80)) for x in (18, 78)],
        *[("line", 0, (18, y, 78, y)) for y in (20, 40, 60)],
        ("box", 1, (24, 64, 72, 78)),
    ],
    "tower": [
        ("shape", 0, (40, 24, 56, 24, 62, 80, 34, 80)),
        ("box", 1, (36, 40, 60, 50)),
        ("shape", 1, (38, 24, 58, 24, 48, 8)),
    ],
    "bridge": [
        ("box", 1, (0, 66, 96, 80)),
        ("shape", 0, (8, 36, 48, 16, 88, 36)),
        ("box", 0, (12, 36, 84, 62)),
        ("box", 1, (36, 44, 60, 62)),
    ],
    "cat": [
        ("oval", 0, (18, 42, 78, 78)),
        ("oval", 0, (14, 28, 44, 56)),
        ("shape", 0, (16, 36, 20, 18, 28, 32)),
        ("shape", 0, (42, 36, 38, 18, 30, 32)),
        ("oval", 1, (24, 40, 28, 44)),
    ],
    "chair": [
        ("box", 0, (28, 18, 68, 50)),
        ("box", 0, (20, 50, 76, 66)),
        ("box", 1, (26, 66, 32, 80)),
        ("box", 1, (64, 66, 70, 80)),
    ],
    "ladder": [
        *[("box", 1, (6, y, 90, y + 3)) for y in (20, 40, 60)],
        *[("line", 0, (x, 82, x + 14, 10)) for x in (30, 54)],
        *[("line", 0, (34 + n, 70 - 4 * n, 58 + n, 70 - 4 * n)) for n in (0, 4, 8, 12)],
    ],
    "heart": [
        ("oval", 0, (12, 10, 84, 82)),
        ("oval", 1, (30, 30, 50, 50)),
        ("oval", 1, (46, 30, 66, 50)),
        ("shape", 1, (31, 43, 65, 43, 48, 66)),
    ],
    "glasses": [
        *[("box", 0, (14 + 18 * n, 28, 26 + 18 * n, 66)) for n in range(4)],
        ("box", 1, (8, 66, 88, 76)),
    ],
    "cup": [
        ("shape", 0, (28, 30, 68, 30, 62, 78, 34, 78)),
        ("oval", 1, (26, 22, 70, 36)),
    ],
    "stack": [
        *[("oval", n % 2, (20, 58 - 10 * n, 76, 76 - 10 * n)) for n in range(5)],
    ],
    "bowl": [("oval", 0, (12, 28, 84, 80)), ("oval", 1, (18, 26, 78, 52))],
    "tacos": [
        *[("oval", 0, (8 + 26 * n, 36, 36 + 26 * n, 74)) for n in range(3)],
        *[("oval", 1, (12 + 26 * n, 32, 32 + 26 * n, 46)) for n in range(3)],
    ],
    "pizza": [
        ("oval", 0, (12, 10, 84, 82)),
        *[("oval", 1, figure[2]) for figure in _ring_of(6, 20, 5)],
    ],
    "cone": [
        ("shape", 0, (32, 46, 64, 46, 48, 84)),
        ("oval", 1, (26, 28, 48, 50)),
        ("oval", 1, (48, 28, 70, 50)),
        ("oval", 1, (37, 12, 59, 34)),
    ],
    "steps": [("box", n % 2, (10 + 10 * n, 70 - 12 * n, 86, 82 - 12 * n)) for n in range(5)],
    "car": [
        ("box", 0, (10, 40, 86, 60)),
        ("shape", 0, (26, 40, 36, 24, 64, 24, 74, 40)),
        ("oval", 1, (18, 54, 34, 70)),
        ("oval", 1, (62, 54, 78, 70)),
    ],
}
