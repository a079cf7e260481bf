"""compile_query: the field constraints of a question as SQL that an analyst can run."""

from __future__ import annotations

import json
import math
from typing import Annotated

import sqlglot.expressions as exp
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from sqlglot.dialects.dialect import Dialect

# DuckDB ends a statement at a zero byte.
Name = Annotated[str, Field(pattern=r"^[^\x00]+$")]
Text = Annotated[str, Field(pattern=r"^[^\x00]*$")]


class Condition(BaseModel):
    """One field constraint: equals, at least, at most, or a category among the record's own."""

    model_config = ConfigDict(extra="forbid")

    field: Name
    operator: str = Field(pattern="^(=|>=|<=|contains)$")
    value: Text | int | float | bool


_CONDITIONS = TypeAdapter(list[Condition])


def compile_query(spec: str, dialect: str = "duckdb") -> str:
    """SQL over sources.records for a JSON list of {field, operator, value}, all of them met.

    Names and values only ever become identifiers and literals of the syntax tree, whatever they
    hold. dialect: one of sqlglot's, such as spark; a function that it lacks keeps DuckDB's name.
    Raises ValueError when the JSON, an operator or the dialect is not as described.
    """
    writer = Dialect.get(dialect) if dialect else None
    if writer is None:
        known = ", ".join(sorted(name for name in Dialect.classes if name))
        raise ValueError(f"sqlglot knows no dialect '{dialect}'; use one of {known}")
    conditions = [_condition(condition) for condition in _CONDITIONS.validate_json(spec)]
    query = exp.select(exp.column("record_id")).from_(exp.table_("records", db="sources"))
    if conditions:
        query = query.where(exp.and_(*conditions))
    return query.order_by(exp.column("record_id")).sql(dialect=writer, pretty=True)


def _condition(condition: Condition) -> exp.Expression:
    column = exp.column(exp.to_identifier(condition.field, quoted=True))
    text = exp.Literal.string(_text(condition.value))
    if condition.operator == "contains":
        return exp.ArrayContains(this=column, expression=text)
    if condition.operator == "=":
        return exp.EQ(this=exp.cast(column, "varchar"), expression=text)
    bound = float(condition.value)
    if not math.isfinite(bound):
        raise ValueError(f"'{condition.value}' is not a finite number")
    number = exp.convert(bound)
    compare = exp.GTE if condition.operator == ">=" else exp.LTE
    return compare(
        this=exp.TryCast(this=column, to=exp.DataType.build("double")), expression=number
    )


def _text(value: str | int | float | bool) -> str:
    """A JSON value as the column's varchar would spell it: true, 4, 4.5."""
    return value if isinstance(value, str) else json.dumps(value)
