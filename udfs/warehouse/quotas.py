"""Quotas of a user's own: a CSV of how many questions each subset gets, instead of the paper's."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from udfs.warehouse.errors import UserError
from udfs.warehouse.places import REPO

VARIABLE = "HETERQA_QUOTAS"
COLUMNS = ["subset", "questions"]
SEED = REPO / "seeds" / "subset_quotas.csv"
MOST = 100_000


def read_quotas(path: Path) -> Mapping[str, int]:
    """Questions by subset, in the order of the file; a subset that is not named gets none.

    Raises UserError for the first line that cannot be used, and when there are no questions.
    """
    if not path.is_file():
        raise UserError(
            f"{VARIABLE}: there is no file {path}; "
            "give the path of a CSV with the columns subset and questions, or unset it"
        )
    with SEED.open(newline="", encoding="utf-8") as file:
        subsets = [row["subset"] for row in csv.DictReader(file)]
    quotas: dict[str, int] = {}
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            lines = csv.reader(file, strict=True)
            header = [name.strip() for name in next(lines, [])]
            if header != COLUMNS:
                raise _fault(path, 1, f"is not `{','.join(COLUMNS)}`")
            for row in lines:
                if any(row):
                    subset, questions = _quota(path, lines.line_num, row, subsets)
                    if subset in quotas:
                        raise _fault(path, lines.line_num, f"'{subset}' is there twice")
                    quotas[subset] = questions
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UserError(
            f"{VARIABLE}: {path} cannot be read as a CSV ({error}); repair it"
        ) from None
    if not 1 <= sum(quotas.values()) <= MOST:
        raise UserError(
            f"{VARIABLE}: {path} comes to {sum(quotas.values())} questions; give 1 to {MOST}"
        )
    return quotas


def _quota(path: Path, number: int, row: list[str], subsets: list[str]) -> tuple[str, int]:
    cells = [cell.strip() for cell in row]
    if len(cells) != len(COLUMNS):
        hint = ' (a subset with a comma stands in quotes: "S+T,I",5)' if len(cells) == 3 else ""
        raise _fault(path, number, f"has {len(cells)} values instead of 2{hint}")
    subset, questions = cells
    if subset not in subsets:
        raise _fault(path, number, f"'{subset}' is none of {' '.join(subsets)}")
    if not (questions.isascii() and questions.isdigit()):
        raise _fault(path, number, f"'{questions}' is not a whole number of questions")
    return subset, int(questions)


def _fault(path: Path, number: int, what: str) -> UserError:
    return UserError(f"{VARIABLE}: {path}, line {number}: {what}; repair the line")
