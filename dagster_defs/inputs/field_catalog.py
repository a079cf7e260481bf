"""The field catalogue of a collection: a CSV that says what its fields are worth and how they read.

One line per field, or per field and value that a question may state. Every column but `field` may
be left out or blank. A line for the field `*` gives the word for a record in its `phrase`.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections import defaultdict
from dataclasses import asdict, dataclass
from pathlib import Path

from udfs.rules.fields.phrases import negate
from udfs.warehouse.collection import field_catalog_path
from udfs.warehouse.errors import UserError
from udfs.warehouse.settings import Settings

COLUMNS = ("field", "tier", "weight", "operator", "value", "probability", "phrase", "negation")
TIERS = ("core", "high_value", "supplementary")
OPERATORS = ("=", ">=", "<=", "contains")
RECORD = "*"
AS_WRITTEN = ("categories", "city", "state")
_VERB = re.compile(r"(can|cannot|[^\W\d_]+s)\b")


@dataclass(frozen=True)
class FieldRule:
    """One line: the field's tier and weight, and what may be asked of it; None is not said.

    value: `*` is any value that records share, or the quartiles for >= and <=.
    """

    field: str
    tier: str | None
    weight: float | None
    operator: str | None
    value: str | None
    probability: float | None
    phrase: str | None
    negation: str | None
    line_number: int


def write_field_rules(settings: Settings) -> list[FieldRule]:
    """Check the catalogue and write it where the models read it; without one, an empty file.

    Raises UserError for the first line that cannot be used.
    """
    path = field_catalog_path(settings)
    rules = read_field_rules(path) if path else []
    lines = [json.dumps(asdict(rule), ensure_ascii=False) + "\n" for rule in rules]
    settings.field_rules_path.write_text("".join(lines), encoding="utf-8")
    return rules


def read_field_rules(path: Path) -> list[FieldRule]:
    """The lines of a catalogue, completed. Raises UserError for the first that cannot be used."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file, strict=True)
            _check_header(path, reader.fieldnames)
            rules = []
            for row in reader:
                number = reader.line_num
                if None in row:
                    raise _fault(path, number, "has more values than the first line has columns")
                cells = {name: (cell or "").strip() for name, cell in row.items()}
                if any(cells.values()):
                    rules.append(_rule(path, number, cells))
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read as UTF-8 text ({error}); repair it") from None
    except csv.Error as error:
        raise _fault(path, reader.line_num + 1, f"is not CSV ({error})") from None
    _check_fields(path, rules)
    return rules


def _check_header(path: Path, header: object) -> None:
    names = [str(name).strip() for name in header] if isinstance(header, (list, tuple)) else []
    unknown = [name for name in names if name not in COLUMNS]
    if unknown or "field" not in names or names != list(dict.fromkeys(names)):
        what = f"there is no column '{unknown[0]}'" if unknown else "name `field` and others once"
        raise _fault(path, 1, f"{what}; the columns are {', '.join(COLUMNS)}")


def _rule(path: Path, number: int, cells: dict[str, str]) -> FieldRule:
    field, phrase = cells.get("field", ""), cells.get("phrase") or None
    if not field:
        raise _fault(path, number, "has no field")
    if field == RECORD:
        if not phrase:
            raise _fault(path, number, "has no phrase: the field * wants the word for a record")
        return FieldRule(RECORD, None, None, None, None, None, phrase, None, number)
    if field != field.lower() or re.search(r"[\s.-]", field):
        raise _fault(
            path,
            number,
            f"'{field}' is no field; write it as sources.field_catalog does: like_this",
        )
    tier = cells.get("tier") or None
    if tier not in (*TIERS, None):
        raise _fault(path, number, f"the tier '{tier}' is none of {', '.join(TIERS)}")
    operator = cells.get("operator") or ("contains" if field == "categories" else "=")
    if operator not in OPERATORS:
        raise _fault(path, number, f"the operator '{operator}' is none of {' '.join(OPERATORS)}")
    # Values of attributes are kept in lower case (macros/records/literals.sql).
    stated = cells.get("value", "") if field in AS_WRITTEN else cells.get("value", "").lower()
    value = _value(path, number, operator, stated or None, phrase)
    negation = cells.get("negation") or None
    for name, text in (("phrase", phrase), ("negation", negation)):
        _check_phrase(path, number, name, text, value)
    if negation and not phrase:
        raise _fault(path, number, "has a negation and no phrase; give both")
    return FieldRule(
        field=field,
        tier=tier,
        weight=_number(path, number, "weight", cells.get("weight"), math.inf),
        operator=operator if value else None,
        value=value,
        probability=_number(path, number, "probability", cells.get("probability"), 1)
        or (1.0 if value else None),
        phrase=phrase,
        negation=negation or (negate(phrase) if phrase else None),
        line_number=number,
    )


def _value(
    path: Path, number: int, operator: str, value: str | None, phrase: str | None
) -> str | None:
    """The value that a line is about; a phrase or a bound alone is about any, or about true."""
    is_bound = operator in (">=", "<=")
    if value is None:
        if is_bound or (phrase and "{value}" in phrase):
            return "*"
        return "true" if phrase else None
    if is_bound and value != "*":
        try:
            is_number = math.isfinite(float(value))
        except ValueError:
            is_number = False
        if not is_number:
            raise _fault(path, number, f"'{value}' is not a number, as {operator} needs")
    return value


def _check_phrase(path: Path, number: int, name: str, text: str | None, value: str | None) -> None:
    if text is None:
        return
    example = "such as 'has a pool' or 'is at least {value} km long'"
    if not _VERB.match(text) or text.endswith((".", "?", "!")):
        raise _fault(
            path, number, f"the {name} '{text}' has to complete \"a place that ...\", {example}"
        )
    if re.search(r"[{}]", text.replace("{value}", "")):
        raise _fault(path, number, f"the {name} '{text}' may hold {{value}} and no other braces")
    if value == "*" and "{value}" not in text:
        raise _fault(path, number, f"the {name} '{text}' is for any value and lacks {{value}}")


def _number(path: Path, number: int, name: str, text: str | None, most: float) -> float | None:
    if not text:
        return None
    try:
        amount = float(text)
    except ValueError:
        amount = math.nan
    if not 0 < amount <= most or math.isinf(amount):
        limits = "above 0" if math.isinf(most) else f"above 0 and at most {most:g}"
        raise _fault(path, number, f"the {name} '{text}' is not a number {limits}")
    return amount


def _check_fields(path: Path, rules: list[FieldRule]) -> None:
    """What the lines of one field have to agree on."""
    of_field: dict[str, list[FieldRule]] = defaultdict(list)
    for rule in rules:
        of_field[rule.field].append(rule)
    for field, lines in of_field.items():
        for name in ("tier", "weight", "phrase") if field == RECORD else ("tier", "weight"):
            said = [line for line in lines if getattr(line, name) is not None]
            for line in said[1:]:
                if getattr(line, name) != getattr(said[0], name):
                    first = f"{getattr(said[0], name)} in line {said[0].line_number}"
                    raise _fault(
                        path,
                        line.line_number,
                        f"the {name} of '{field}' is {getattr(line, name)} and {first}",
                    )
        stated: dict[tuple[str | None, str], int] = {}
        for line in lines:
            if line.value is None:
                continue
            key = (line.operator, line.value)
            if key in stated:
                raise _fault(path, line.line_number, f"repeats line {stated[key]}")
            stated[key] = line.line_number


def _fault(path: Path, number: int, what: str) -> UserError:
    return UserError(f"{path}, line {number}: {what}; repair or remove the line")
