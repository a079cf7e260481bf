"""The picture of the recovery audit: every field, nothing unescaped, nothing from outside."""

from __future__ import annotations

import base64
from xml.etree import ElementTree

import duckdb

from dagster_defs.pages.recovery_plot import SIDE, as_markdown, render_plot

SVG = "{http://www.w3.org/2000/svg}"


def picture(*fields: str) -> str:
    with duckdb.connect() as connection:
        connection.execute("create schema quality")
        connection.execute(
            "create table quality.recovery_reliability (field varchar, channel varchar,"
            " probability_from double, mean_probability double, true_share double,"
            " value_count integer)"
        )
        connection.execute(
            "create table quality.recovery_curves (field varchar, channel varchar,"
            " is_true boolean, threshold double, precision double, recall double)"
        )
        connection.execute(
            "create table quality.recovery_audit (field varchar, channel varchar, value varchar,"
            " basis varchar, threshold double)"
        )
        for field in fields:
            connection.execute(
                "insert into quality.recovery_reliability values"
                " ($1, 'all', 0, 0.25, 0.875, 9), ($1, 'text', 0, 0.25, 0.5, 3)",
                [field],
            )
            connection.execute(
                "insert into quality.recovery_curves values"
                " ($1, 'all', true, 0.9, 1, 0.25), ($1, 'all', true, 0.8, 0.5, 0.5),"
                " ($1, 'text', true, 0.9, 0.5, 0.25)",
                [field],
            )
            if field != "*":
                connection.execute(
                    "insert into quality.recovery_audit values"
                    " ($1, 'all', 'true', 'field', 0.8), ($1, 'text', 'true', 'field', 0.8),"
                    " ($1, 'all', 'false', 'unreachable', null)",
                    [field],
                )
        return render_plot(connection)


def texts(svg: str) -> list[str]:
    root = ElementTree.fromstring(svg)
    return ["".join(text.itertext()).strip() for text in root.iter(f"{SVG}text")]


def test_every_field_has_its_cell_after_that_of_all() -> None:
    shown = texts(picture("wifi", "*", "dogs"))
    places = [shown.index(name) for name in ("all fields", "dogs", "wifi")]
    assert places == sorted(places)
    assert shown.count("true: from 0.80; false: not recovered") == 2


def test_axes_are_from_0_to_1() -> None:
    root = ElementTree.fromstring(picture("wifi"))
    (dot,) = root.iter(f"{SVG}circle")
    assert (dot.get("cx"), dot.get("cy")) == (str(SIDE * 0.25), str(SIDE * 0.125))
    (line,) = root.iter(f"{SVG}polyline")
    assert line.get("points") == f"{SIDE * 0.25:.1f},0.0 {SIDE * 0.5:.1f},{SIDE * 0.5:.1f}"


def test_names_are_escaped() -> None:
    name = 'a<script>"&</script>'
    assert name in texts(picture(name))
    assert "<script>" not in picture(name)


def test_without_evidence_there_is_an_empty_picture() -> None:
    assert ElementTree.fromstring(picture()).tag == f"{SVG}svg"


def test_the_picture_in_markdown_is_the_picture() -> None:
    svg = picture("*")
    markdown = as_markdown(svg)
    assert base64.b64decode(markdown.split("base64,")[1].rstrip(")")).decode() == svg
