"""The SQL functions: what each takes and returns, and which role answers it.

Every asking function takes the key of its request first and returns a STRUCT that ends in what the
ledger knows of a call. Nothing heavy is imported before a function is first called.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa
from duckdb import DuckDBPyConnection
from duckdb.func import FunctionNullHandling, PythonUDFType

from udfs.contracts.answer import Answer
from udfs.profiles.profile import Profile
from udfs.roles.asking import Asking, ask_each
from udfs.roles.signature import model_name, model_signature, prompt_version

Row = tuple[Any, ...]
Ask = Callable[[Sequence[Row], Asking], list[Answer]]

_LEDGER = (
    "error varchar, role varchar, model varchar, prompt_version varchar, tokens bigint, "
    "input_tokens bigint, output_tokens bigint, latency_ms double, cost double, attempts integer"
)


class Function(NamedTuple):
    """A SQL function over varchar parameters; `to_sql` turns an answer into the SQL value."""

    parameters: int
    returns: str
    ask: Ask
    to_sql: Callable[[Answer, Row], Any]
    # Who answers; then the first parameter is the request's key, and the answer goes to the ledger.
    role: str | None = None


def functions(profile: Profile) -> dict[str, Function]:
    """The SQL functions by name, answered by the backends of the profile."""
    judgement = "verdict varchar, confidence double, is_against boolean, reason varchar"
    found = "features struct(feature varchar, polarity varchar, confidence double)[]"

    def role(name: str, parameters: int, members: str, ask: Any, task: int | str = "") -> Function:
        """task: the task's name, or which parameter names it."""

        @lru_cache
        def who(task_name: str) -> dict[str, str]:
            """Role, model and version, read once: the version can be a hash of many files."""
            version = prompt_version(profile, name, task_name)
            return {"role": name, "model": model_name(profile, name), "prompt_version": version}

        return Function(
            parameters, f"struct({members}, {_LEDGER})", partial(ask, profile),
            partial(_struct, who, task, _names(members)), name,
        )  # fmt: skip

    return {
        "embed_text": role("text_embedder", 3, "vector float[]", _embed_text),
        "judge_text": role("judge", 4, judgement, _judge_text, 1),
        "judge_photo": role("photo_judge", 5, judgement, _judge_photo, 1),
        "extract_features": role("extractor", 2, found, _extract_features),
        "write_constraint": role(
            "writer", 4, "claim varchar, phrase varchar, sentence varchar", _write_constraint,
            "constraint",
        ),
        "write_question": role("writer", 2, "question varchar", _write_question, "question"),
        "rerank_text": role("reranker", 3, "score double", _rerank_text),
        "compile_query": Function(2, "varchar", _compile_query, _value_or_raise),
        "model_signature": Function(
            2, "varchar", partial(_model_signature, profile), _value_or_raise
        ),
        "phrase_field": Function(
            4, "struct(phrase varchar, negation varchar)", _phrase_field, _value_or_raise
        ),
        "negate_phrase": Function(1, "varchar", _negate_phrase, _value_or_raise),
    }  # fmt: skip


def register(
    connection: DuckDBPyConnection,
    name: str,
    function: Function,
    asking: Asking,
    journal: Callable[[str, Any], None] | None = None,
) -> None:
    """Make the function known to every cursor of the database.

    journal: is given the key and the SQL value of each paid answer as its call ends.
    """
    arrow_type = _arrow_type(function.returns)

    def answer(*columns: Any) -> pa.Array:
        rows = list(zip(*(column.to_pylist() for column in columns), strict=True))
        asked = asking
        if journal is not None and function.role is not None:
            by_key = {row[0]: row for row in rows}
            asked = replace(
                asking,
                on_answer=lambda key, found: journal(key, function.to_sql(found, by_key[key])),
            )
        answers = function.ask(rows, asked)
        values = [function.to_sql(*pair) for pair in zip(answers, rows, strict=True)]
        return pa.array(values, type=arrow_type)

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


def answer_columns(profile: Profile) -> frozenset[str]:
    """The names of the columns that answers are stored in, over all roles."""
    asking = [function for function in functions(profile).values() if function.role is not None]
    return frozenset(field.name for f in asking for field in _arrow_type(f.returns))


def paid_functions(profile: Profile) -> list[str]:
    """The SQL functions that an endpoint answers."""
    paid = profile.paid_roles
    return [name for name, function in functions(profile).items() if function.role in paid]


# The functions that ask a role; each imports its role when called, so that a build loads only the
# roles that it asks.


def _embed_text(profile: Profile, rows: Sequence[Row], asking: Asking) -> list[Answer]:
    from udfs.roles.embed import EmbedRequest, embed

    return embed([EmbedRequest(*row) for row in rows], profile.text_embedder, asking)


def _rerank_text(profile: Profile, rows: Sequence[Row], asking: Asking) -> list[Answer]:
    from udfs.roles.rerank import RerankRequest, rerank

    return rerank([RerankRequest(*row) for row in rows], profile.reranker, asking)


def _judge_text(profile: Profile, rows: Sequence[Row], asking: Asking) -> list[Answer]:
    from udfs.roles.judge import JudgeRequest, judge

    return judge([JudgeRequest(*row) for row in rows], profile.judge, asking)


def _judge_photo(profile: Profile, rows: Sequence[Row], asking: Asking) -> list[Answer]:
    from udfs.roles.judge import JudgeRequest, judge

    return judge([JudgeRequest(*row) for row in rows], profile.photo_judge, asking)


def _extract_features(profile: Profile, rows: Sequence[Row], asking: Asking) -> list[Answer]:
    from udfs.roles.extract import ExtractRequest, extract

    return extract([ExtractRequest(*row) for row in rows], profile.extractor, asking)


def _write_constraint(profile: Profile, rows: Sequence[Row], asking: Asking) -> list[Answer]:
    from udfs.roles.write import ConstraintRequest, write_constraints

    return write_constraints([ConstraintRequest(*row) for row in rows], profile.writer, asking)


def _write_question(profile: Profile, rows: Sequence[Row], asking: Asking) -> list[Answer]:
    from udfs.roles.write import QuestionRequest, write_questions

    return write_questions([QuestionRequest(*row) for row in rows], profile.writer, asking)


def _phrase_field(rows: Sequence[Row], asking: Asking) -> list[Answer]:
    from udfs.rules.fields.phrases import phrase_field

    def phrase(row: Row) -> Any:
        field, parent, operator, value = row
        if field is None or operator is None or value is None:
            return None
        return phrase_field(field, parent or "", operator, value)._asdict()

    return ask_each(phrase, rows, asking.threads)


def _negate_phrase(rows: Sequence[Row], asking: Asking) -> list[Answer]:
    from udfs.rules.fields.phrases import negate

    return ask_each(lambda row: row[0] and negate(row[0]), rows, asking.threads)


def _compile_query(rows: Sequence[Row], asking: Asking) -> list[Answer]:
    from udfs.queries.compile import compile_query

    return ask_each(lambda row: row[0] and compile_query(*row), rows, asking.threads)


def _model_signature(profile: Profile, rows: Sequence[Row], asking: Asking) -> list[Answer]:
    return [Answer(model_signature(profile, role, task)) for role, task in rows]


# How an answer reads in SQL.


def _value_or_raise(answer: Answer, row: Row) -> Any:
    if answer.error:
        raise ValueError(answer.error.removeprefix("failed: "))
    return answer.value


def _struct(
    who: Callable[[str], dict[str, str]],
    task: int | str,
    names: tuple[str, ...],
    answer: Answer,
    row: Row,
) -> dict[str, Any]:
    """The answer's own members, then what the ledger knows. No verdict is `unresolved`."""
    if answer.value is None:
        value: dict[str, Any] = dict.fromkeys(names)
        if "verdict" in value:
            value |= {"verdict": "unresolved", "is_against": False}
    else:
        value = answer.value.model_dump(include=set(names))
    task_name = row[task] if isinstance(task, int) else task
    return (
        value
        | who(task_name or "")
        | {
            "error": answer.error,
            "tokens": answer.input_tokens + answer.output_tokens,
            "input_tokens": answer.input_tokens,
            "output_tokens": answer.output_tokens,
            "latency_ms": answer.latency_ms,
            "cost": answer.cost,
            "attempts": answer.attempts,
        }
    )


def _names(members: str) -> tuple[str, ...]:
    """The names in the list of a STRUCT's members."""
    return tuple(field.name for field in _arrow_type(f"struct({members})"))
