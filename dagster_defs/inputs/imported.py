"""The release whose questions are evaluated: that it fits the collection, and what it holds."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from udfs.warehouse.errors import UserError
from udfs.warehouse.settings import Settings

SHOWN = 10


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

    Raises UserError with the first of its problems, when it has some, or when no question is left.
    """
    with duckdb.connect(settings.build_path, read_only=True) as connection:
        problems = connection.execute(
            "select file, line_number, problem from staging.release_problems where is_fatal"
            " order by file desc, line_number, problem"
        ).fetchall()
        kinds = connection.execute(
            "select kind, count(*) as problems from staging.release_problems where is_fatal"
            " group by kind order by problems desc, kind"
        ).fetchall()
        imported = read_imported(connection)
    if problems:
        counts = ", ".join(f"{kind} {count:,}" for kind, count in kinds)
        lines = [f"{file}, line {number}: {text}" for file, number, text in problems[:SHOWN]]
        if len(problems) > SHOWN:
            lines.append(
                f"and {len(problems) - SHOWN:,} more; all of them: "
                f"select * from staging.release_problems, in {settings.build_path}"
            )
        raise UserError(
            f"HETERQA_RELEASE: {settings.release} cannot be evaluated on this collection "
            f"({counts}):\n    " + "\n    ".join(lines)
        )
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
