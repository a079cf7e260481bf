"""The release whose questions are evaluated: how many of them, and of their answers, count."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from udfs.warehouse.errors import UserError
from udfs.warehouse.settings import Settings


@dataclass(frozen=True)
class Imported:
    """Questions of a release, those of them that are evaluated, and the answers of these."""

    questions: int
    evaluated: int
    answers: int

    @property
    def left_out(self) -> int:
        return self.questions - self.evaluated


def check_imported(settings: Settings) -> Imported:
    """What the staged release in build.duckdb holds.

    Raises UserError when no question is left.
    """
    with duckdb.connect(settings.build_path, read_only=True) as connection:
        imported = read_imported(connection)
    if imported.questions == 0:
        raise UserError(f"HETERQA_RELEASE: {settings.release} has no question; give another one")
    if imported.evaluated == 0:
        raise UserError(
            f"HETERQA_RELEASE: each of the {imported.questions:,} questions of {settings.release} "
            "names a record that this collection lacks; use the collection of the release"
        )
    return imported


def read_imported(connection: duckdb.DuckDBPyConnection) -> Imported:
    """The counts of the imported release in a warehouse."""
    counts = connection.execute(
        "select (select count(*) from staging.stg_release_queries),"
        " (select count(*) from staging.imported_questions),"
        " (select count(*) from staging.imported_answers)"
    ).fetchone()
    return Imported(*counts or (0, 0, 0))


def describe_imported(imported: Imported) -> str:
    """One line on what of a release is evaluated."""
    questions = f"{imported.evaluated:,}"
    left_out = ""
    if imported.left_out:
        questions += f" of {imported.questions:,}"
        left_out = (
            f"; {imported.left_out:,} left out: this collection lacks a record that they name"
        )
    return f"{questions} questions of the release, {imported.answers:,} answers{left_out}"
