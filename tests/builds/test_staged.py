"""The staged materialization in dbt: what is unchanged stays, and too many rejected lines stop."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

from dagster_defs.inputs.files import describe_inputs
from tests.support.staging import collection
from udfs.warehouse.places import REPO
from udfs.warehouse.settings import Settings

BUSINESSES = [{"business_id": f"b{number}"} for number in range(200)]
TIPS = [{"business_id": "b1", "user_id": "u1", "text": f"Tip {n}"} for n in range(200)]
ALL = {"businesses", "tips", "users", "texts"}
USERS = [{"user_id": f"u{number}"} for number in range(200)]


class Staging:
    """A warehouse of which dbt builds the staging room alone."""

    def __init__(self, folder: Path) -> None:
        self.data, self.warehouse = folder / "data", folder / "warehouse"
        collection(self.data, business=BUSINESSES, tip=TIPS, user=USERS)

    def build(self, **variables: str) -> str:
        """Describe the inputs and build; what dbt says."""
        own = {"HETERQA_DATA": str(self.data), "HETERQA_WAREHOUSE": str(self.warehouse)}
        self.warehouse.mkdir(exist_ok=True)
        settings = Settings.from_env(own | variables)
        describe_inputs(settings)
        kept = {k: v for k, v in os.environ.items() if not k.startswith("HETERQA_")}
        command = [sys.executable, "-c", "from dbt.cli.main import cli; cli()", "build"]
        done = subprocess.run(
            [
                *command,
                "-s",
                "+rejected_rows",
                "stg_tips",
                "stg_users",
                "+stg_photo_files",
                "+texts",
                *("--exclude-resource-type", "test", "unit_test"),
            ],
            cwd=REPO / "dbt_project",
            env=kept
            | settings.to_env()
            | {
                "PYTHONPATH": str(REPO),
                "DBT_TARGET_PATH": str(self.warehouse / "target"),
                "DBT_LOG_PATH": str(self.warehouse / "logs"),
            },
            capture_output=True,
            text=True,
        )
        return done.stdout + done.stderr

    def execute(self, sql: str) -> list[tuple[Any, ...]]:
        with duckdb.connect(self.warehouse / "build.duckdb") as connection:
            return connection.execute(sql).fetchall()

    def mark(self) -> None:
        """Remove a row of each table: it comes back only when the table is made again."""
        for name in ("businesses", "tips", "users"):
            self.execute(f"delete from staging.stg_{name} where line_number = 200")
        self.execute("delete from sources.texts where content = 'Tip 199'")

    def made_again(self) -> set[str]:
        tables = {name: f"staging.stg_{name}" for name in ("businesses", "tips", "users")}
        tables["texts"] = "sources.texts where source_kind = 'tip'"
        counts = {n: self.execute(f"select count(*) from {t}")[0][0] for n, t in tables.items()}
        return {name for name, count in counts.items() if count == 200}


@pytest.fixture(scope="module")
def staging(tmp_path_factory: pytest.TempPathFactory) -> Staging:
    return Staging(tmp_path_factory.mktemp("staged"))


def test_only_what_has_changed_is_staged_again(staging: Staging) -> None:
    assert "Completed successfully" in staging.build()
    assert staging.made_again() == ALL
    staging.mark()
    file = staging.data / "tip.json"
    os.utime(file, ns=(1, 1))
    staging.build()
    assert staging.made_again() == set(), "another time is no other content"

    file.write_text(file.read_text().replace("Tip 7", "Tip seven"))
    staging.build()
    assert staging.made_again() == {"tips", "texts"}

    staging.mark()
    staging.build(HETERQA_SALT="another")
    assert staging.made_again() == ALL
    comment = "select comment from duckdb_tables() where table_name = 'stg_tips'"
    assert staging.execute(comment)[0][0].startswith("One row per accepted line of the tip file.")


def test_too_many_rejected_lines_stop_the_build(staging: Staging) -> None:
    """Two lines in 200 are 1 %, three are more; the file, reasons and lines are said."""
    file = staging.data / "user.json"
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines[:198], "cut", '{"user_id": "u1"}']))
    (staging.data / "photos").mkdir()
    (staging.data / "photos" / "p1.jpg").touch()
    said = staging.build()
    assert "photos: 0 rows without a file, 1 files without a row" in said
    assert "user: 1 of 200 lines rejected: is not JSON (line 199)" in said
    assert "Completed successfully" in said

    file.write_text("\n".join([*lines[:197], "{", "cut", '{"user_id": "u1"}']))
    said = staging.build()
    assert "too many lines cannot be used" in said
    assert "  user: 2 of 200 lines rejected: is not JSON (line 198, 199)\n" in said
    assert "  user: 1 of 200 lines rejected: repeats a user_id (line 200)\n" in said
    assert "raise the var max_rejected_share (0.01) in dbt_project/dbt_project.yml" in said
    assert "OK created sql staged model staging.stg_users" not in said
