"""The SQL functions: what each takes and returns, and which Python function answers it.

Each is answered by the Python function of the same name in the file of its role. Nothing heavy is
imported before a function is first called.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa
from duckdb import DuckDBPyConnection
from duckdb.func import FunctionNullHandling, PythonUDFType

from udfs.batch import Answer, ask_rows
from udfs.profile import Profile, model_signature

_ANSWER_END = "error varchar, tokens integer, latency_ms double, cost double"
_JUDGEMENT = (
    f"struct(verdict varchar, confidence double, is_against boolean, reason varchar, {_ANSWER_END})"
)
_FEATURES = (
    "struct(features struct(feature varchar, polarity varchar, confidence double)[], "
    f"{_ANSWER_END})"
)
_CONSTRAINT = f"struct(claim varchar, phrase varchar, sentence varchar, {_ANSWER_END})"
_QUESTION = f"struct(question varchar, {_ANSWER_END})"


class Function(NamedTuple):
    """A SQL function: its parameters are varchar; `to_sql` turns an answer into the SQL value."""

    parameters: int
    returns: str
    ask: Callable[..., Any]
    to_sql: Callable[[Answer], Any]


def functions(profile: Profile) -> dict[str, Function]:
    """The SQL functions by name, answered by the backends of the profile."""
    return {
        "embed_text": Function(
            1,
            f"struct(vector float[{profile.text_embedder.dimensions}], {_ANSWER_END})",
            partial(_embed_text, profile),
            _struct("vector"),
        ),
        "judge_text": Function(3, _JUDGEMENT, partial(_judge_text, profile), _judgement),
        "judge_photo": Function(4, _JUDGEMENT, partial(_judge_photo, profile), _judgement),
        "extract_features": Function(1, _FEATURES, _extract_features, _struct("features")),
        "write_constraint": Function(
            3, _CONSTRAINT, _write_constraint, _struct("claim", "phrase", "sentence")
        ),
        "write_question": Function(1, _QUESTION, _write_question, _struct("question")),
        "phrase_field": Function(
            4, "struct(phrase varchar, negation varchar)", _phrase_field, _phrases
        ),
        "compile_query": Function(1, "varchar", _compile_query, _value_or_raise),
        "model_signature": Function(1, "varchar", partial(model_signature, profile), _value),
    }


def register(connection: DuckDBPyConnection, name: str, function: Function, threads: int) -> None:
    """Make the function known to every cursor of the database, answered row by row."""
    arrow_type = _arrow_type(function.returns)

    def answer(*columns: Any) -> pa.Array:
        answers = ask_rows(function.ask, columns, threads)
        return pa.array([function.to_sql(row) for row in answers], type=arrow_type)

    # DuckDB reads the number of parameters from the signature.
    parameters = [
        inspect.Parameter(f"argument_{number}", inspect.Parameter.POSITIONAL_ONLY)
        for number in range(function.parameters)
    ]
    answer.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    connection.create_function(
        name,
        answer,
        [duckdb.sqltype("varchar")] * function.parameters,
        duckdb.sqltype(function.returns),
        type=PythonUDFType.ARROW,
        null_handling=FunctionNullHandling.SPECIAL,
        side_effects=False,
    )


@lru_cache
def _arrow_type(sql_type: str) -> pa.DataType:
    """The Arrow type that DuckDB itself gives to a SQL type."""
    with duckdb.connect() as connection:
        table = connection.execute(f"select null::{sql_type} as value").to_arrow_table()
    return table.schema.field("value").type


# What a row asks. Imports are inside, so that a build pays only for the roles it uses.


def _embed_text(profile: Profile, content: str | None) -> tuple[list[float]] | None:
    from udfs.embed import embed_text

    return None if content is None else (embed_text(content, profile.text_embedder),)


def _judge_text(profile: Profile, task: str | None, claim: str | None, evidence: str | None) -> Any:
    from udfs.judge import judge_text

    return judge_text(task, claim, evidence, profile.judge, profile.reranker)


def _judge_photo(
    profile: Profile, task: str | None, claim: str | None, caption: str | None, photo: str | None
) -> Any:
    from udfs.judge import judge_photo

    return judge_photo(task, claim, caption, photo, profile.photo_judge, profile.reranker)


def _extract_features(content: str | None) -> Any:
    from udfs.extract import extract_features

    if content is None:
        return ([],)
    names = ("feature", "polarity", "confidence")
    return ([dict(zip(names, row, strict=True)) for row in extract_features(content)],)


def _write_constraint(source: str | None, evidence: str | None, avoid: str | None) -> Any:
    from udfs.write import write_constraint

    if source is None or evidence is None:
        return None
    return write_constraint(source, evidence, avoid or "")


def _write_question(spec: str | None) -> Any:
    from udfs.write import write_question

    return None if spec is None else (write_question(spec),)


def _phrase_field(
    field: str | None, parent: str | None, operator: str | None, value: str | None
) -> Any:
    from udfs.field_phrases import phrase_field

    if field is None or operator is None or value is None:
        return None
    return phrase_field(field, parent or "", operator, value)


def _compile_query(spec: str | None) -> str | None:
    from udfs.compile import compile_query

    return None if spec is None else compile_query(spec)


# How an answer reads in SQL.


def _value(answer: Answer) -> Any:
    return answer.value


def _value_or_raise(answer: Answer) -> Any:
    if answer.error:
        raise ValueError(answer.error)
    return answer.value


def _phrases(answer: Answer) -> dict[str, str] | None:
    phrases = _value_or_raise(answer)
    return None if phrases is None else phrases._asdict()


def _judgement(answer: Answer) -> dict[str, Any]:
    if answer.value is None:
        return {"verdict": "unresolved", "is_against": False} | _end(answer, 0)
    judgement = answer.value._asdict()
    return judgement | _end(answer, judgement["tokens"])


def _struct(*names: str) -> Callable[[Answer], dict[str, Any]]:
    """An answer whose value is a tuple of the named members, or None."""

    def to_sql(answer: Answer) -> dict[str, Any]:
        values = answer.value if answer.value is not None else (None,) * len(names)
        return dict(zip(names, values, strict=True)) | _end(answer, 0)

    return to_sql


def _end(answer: Answer, tokens: int) -> dict[str, Any]:
    """What every answer ends with; a model that runs here costs nothing."""
    return {
        "error": answer.error,
        "tokens": tokens,
        "latency_ms": answer.latency_ms,
        "cost": 0.0,
    }
