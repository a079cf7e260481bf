"""Step 1 without dbt: F and A of a folder's records, by the models' own SQL.

Texts, photos and the graph are left out: every record may give every kind of source.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import duckdb
import yaml

from dagster_defs.inputs.files import describe_inputs
from tests.support.render import REPO, model_text, render_model
from tests.support.staging import collection, make
from udfs.plugin import connect
from udfs.warehouse.settings import Settings

SEEDS = (
    "attribute_names",
    "field_phrases",
    "field_tiers",
    "subset_quotas",
    "subset_sources",
    "value_rules",
)
ATTRIBUTE_MODELS = (
    "records",
    "record_fields",
    "record_categories",
    "field_profiles",
    "field_rules",
    "field_catalog",
)
# What is made once for a collection, and what is made for the attempts.
BEFORE = ("slots", "record_numbers", "field_options", "claim_sets", "seed_records")
INITIALIZE = (
    "attempts",
    "constraint_draws",
    "draw_checks",
    "field_constraints",
    "attempt_sets",
    "initial_answers",
    "known_status",
    "structured_queries",
    "field_claims",
)


def connection(
    warehouse: Path, threads: int = 2, data: Path | None = None
) -> duckdb.DuckDBPyConnection:
    """A connection like dbt's on an empty database, with the seeds.

    Its tables stand in the schema `sources`, where the compiled queries look for records.
    """
    warehouse.mkdir(parents=True, exist_ok=True)
    settings = _settings(warehouse, data or collection(warehouse / "no_records"), threads)
    if data:
        describe_inputs(settings)
    con = connect(":memory:", settings)
    con.execute("create schema sources")
    con.execute("use sources")
    make_seeds(con)
    make(con, "stg_quotas")
    return con


def load_records(data: Path, warehouse: Path, **variables: object) -> duckdb.DuckDBPyConnection:
    """A connection with the sources of the records of a folder."""
    con = connection(warehouse, data=data)
    for model in ("input_counts", "rejected_business_lines", "stg_businesses"):
        make(con, model)
    attributes = ("attribute_leaves", "record_attributes")
    build(con, ("stg_field_rules", *attributes, *ATTRIBUTE_MODELS), **variables)
    give_every_source(con)
    return con


def make_seeds(con: duckdb.DuckDBPyConnection) -> None:
    """The seeds as tables, with the types that dbt gives them."""
    described = yaml.safe_load((REPO / "seeds" / "_seeds.yml").read_text(encoding="utf-8"))
    types = {seed["name"]: seed["config"]["column_types"] for seed in described["seeds"]}
    for name in SEEDS:
        con.execute(
            f"create table {name} as select * from read_csv($path, columns = {types[name]}, "
            "header = true)",
            {"path": str(REPO / "seeds" / f"{name}.csv")},
        )


def give_every_source(con: duckdb.DuckDBPyConnection) -> None:
    """Each record as the start of attempts at every subset."""
    con.execute(
        "create or replace table record_sources as select record_id, "
        "unnest(['text', 'photo', 'spatial', 'graph']) as source from records"
    )


def build(
    con: duckdb.DuckDBPyConnection,
    models: Iterable[str],
    environ: Mapping[str, str] | None = None,
    **variables: object,
) -> None:
    """Make the table or view of each model, in order; the rest is for their macros."""
    for name in models:
        kind = "view" if "materialized='view'" in model_text(name) else "table"
        sql = render_model(name, environ, **variables)
        con.execute(f"create or replace {kind} {name} as {sql}")


def _settings(warehouse: Path, data: Path, threads: int) -> Settings:
    return Settings.from_env(
        {
            "HETERQA_DATA": str(data),
            "HETERQA_WAREHOUSE": str(warehouse),
            "HETERQA_THREADS": str(threads),
        }
    )
