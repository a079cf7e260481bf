"""The models of the nearest entries to recover from, against plain SQL over a small warehouse."""

from __future__ import annotations

import importlib.util
from types import SimpleNamespace
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from tests.support.plain_hits import PLAIN_HITS
from tests.support.render import REPO, render, render_model

KEY = render("{{ vector_key('query', 'content') }}")
MODEL = "models/construction/1_initialize/recovery/recovery_nearest.py"


def small_warehouse(seed: int, dimensions: int = 8) -> duckdb.DuckDBPyConnection:
    """60 records, 400 entries of one to three passages, 5 claims, and vectors full of ties."""
    generator = np.random.default_rng(seed)

    def vector() -> list[float]:
        return [float(value) for value in np.float16(generator.integers(-2, 3, dimensions) / 5)]

    tables: dict[str, list[tuple[Any, ...]]] = {
        # Two claims have the same negation; the call for one claim failed.
        "field_claims (claim_id text, claim text, negation text, is_recoverable bool)": [
            (claim, f"is {claim}", f"not {min(claim, 'b')}", True) for claim in "abcde"
        ],
        "claim_vectors (content text, vector float[])": [
            (f"{word} {claim}", None if (word, claim) == ("is", "c") else vector())
            for word in ("is", "not")
            for claim in "abcde"
        ],
        "recovery_pairs (claim_id text, record_id text, is_known bool)": [
            (claim, f"r{record}", bool(chance < 0.4))
            for claim in "abcde"
            for record in range(60)
            if (chance := generator.random()) < 0.7
        ],
    }
    entries, passages = [], []
    for number in generator.permutation(400).tolist():
        source = ("text", "photo", "fields")[min(number % 4, 2)]
        entries.append((f"{source}:é{number}", f"r{generator.integers(60)}", source))
        for passage in generator.permutation(2 + (source == "text") * number % 3).tolist():
            passages.append((entries[-1][0], passage, None if number == 8 else vector()))
    tables["corpus_entries (entry_id text, record_id text, source text)"] = entries
    tables["entry_vectors (entry_id text, passage_number int, vector float[])"] = passages

    con = duckdb.connect()
    con.execute("create macro model_signature(role, task) as role || task")
    for table, rows in tables.items():
        con.execute(f"create table {table}")
        columns = [f"c{number}" for number in range(len(rows[0]))]
        found = pa.table(dict(zip(columns, zip(*rows, strict=True), strict=True)))
        con.register("found", found).execute(f"insert into {table.split()[0]} from found")
    con.execute("alter table claim_vectors add column request_key text")
    con.execute(f"update claim_vectors set request_key = {KEY}")
    return con


def search_in(con: duckdb.DuckDBPyConnection, **variables: Any) -> list[tuple[Any, ...]]:
    """The rows of recovery_hits, made as a build makes them."""
    spec = importlib.util.spec_from_file_location("nearest_model", REPO / MODEL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    config = SimpleNamespace(meta_get=variables.get)
    for name in ("recovery_statements", "recovery_queries", "recovery_entries"):
        con.execute(f"create or replace table {name} as {render_model(name)}")
    found = module.model(SimpleNamespace(ref=con.table, config=config), con)
    con.register("found", found)
    con.execute("create or replace table recovery_nearest as from found")
    hits = render_model("recovery_hits")
    return con.execute(f"from ({hits}) order by all").fetchall()


@pytest.mark.parametrize("depth", [1, 12, 1000])
def test_the_models_are_what_plain_sql_says(depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    con = small_warehouse(seed=depth)
    expected = con.execute(PLAIN_HITS, {"depth": depth}).fetchall()
    assert {row[:3] for row in expected} == {
        (claim, direction, source)
        for claim in "abcde"
        for direction in ("for", "against")
        for source in ("text", "photo")
        if (claim, direction) != ("c", "for")
    }
    assert search_in(con, recovery_depth=depth, search_memory_mb=1) == expected
    monkeypatch.setattr("udfs.search.vectors.BATCH_ROWS", 2048)
    monkeypatch.setenv("HETERQA_THREADS", "1")
    assert search_in(con, recovery_depth=depth, search_memory_mb=512) == expected


@pytest.mark.parametrize("table", ["recovery_pairs", "field_claims", "entry_vectors"])
def test_nothing_to_recover(table: str) -> None:
    con = small_warehouse(seed=1)
    con.execute(f"delete from {table}")
    assert search_in(con, recovery_depth=5, search_memory_mb=1) == []


def test_vectors_of_two_models_are_not_compared() -> None:
    con = small_warehouse(seed=1)
    con.execute("update entry_vectors set vector = vector[:4] where entry_id = 'text:é4'")
    with pytest.raises(ValueError, match="vectors of 4 and of 8 numbers in one search"):
        search_in(con, recovery_depth=5, search_memory_mb=1)
