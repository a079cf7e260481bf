"""Builds of a small city: equal on any threads, resumed after a kill, quiet when unchanged."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from sample_city import generate
from udfs.settings import REPO, Settings

QUESTIONS = 20


def environment(warehouse: Path, data: Path, **settings: str) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("HETERQA_", "DAGSTER_"))}
    own = {
        "HETERQA_WAREHOUSE": str(warehouse),
        "HETERQA_DATA": str(data),
        "HETERQA_QUESTIONS": str(QUESTIONS),
        "PYTHONPATH": str(REPO),
    }
    return kept | own | settings


def build(warehouse: Path, data: Path, **settings: str) -> str:
    """What `make run` does; returns what it printed."""
    result = subprocess.run(
        [sys.executable, "-m", "dagster_defs.build"],
        cwd=REPO,
        env=environment(warehouse, data, **settings),
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr
    return result.stdout


def build_until(line_start: str, warehouse: Path, data: Path) -> None:
    """Start a build and SIGKILL it at the first line that starts so."""
    process = subprocess.Popen(
        [sys.executable, "-m", "dagster_defs.build"],
        cwd=REPO,
        env=environment(warehouse, data),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    seen = []
    for line in process.stdout:
        seen.append(line)
        if line.strip().startswith(line_start):
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert seen[-1].strip().startswith(line_start), "".join(seen)[-4000:]


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def count(path: Path, query: str) -> int:
    with duckdb.connect(path, read_only=True) as connection:
        row = connection.execute(query).fetchone()
    assert row is not None
    return int(row[0])


@pytest.fixture(scope="session")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("small_city")
    generate(root / "data", root / "truth", records=120, users=60, texts=1000, photos=160)
    return root / "data"


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory: pytest.TempPathFactory, data: Path) -> Path:
    """A finished build, on two threads."""
    folder = tmp_path_factory.mktemp("warehouse")
    build(folder, data, HETERQA_THREADS="2", PYTHONHASHSEED="1")
    return folder


def test_certifies_questions(warehouse: Path) -> None:
    published = warehouse / "heterqa.duckdb"
    certified = count(published, "select count(*) from construction.certified_questions")
    assert certified >= QUESTIONS / 2
    assert count(published, "select min(answer_count) from release.queries") >= 1
    assert count(published, "select max(answer_count) from release.queries") <= 10
    assert count(published, "select count(distinct run) from evaluation.leaderboard") == 3
    assert {path.name for path in (warehouse / "runs").iterdir()} == {
        "bm25.trec",
        "dense.trec",
        "hybrid.trec",
    }


def test_release_does_not_depend_on_threads_or_hashing(
    warehouse: Path, data: Path, tmp_path: Path
) -> None:
    build(tmp_path, data, HETERQA_THREADS="1", PYTHONHASHSEED="2")
    assert tree(tmp_path / "release") == tree(warehouse / "release")
    assert tree(tmp_path / "runs") == tree(warehouse / "runs")


def test_killed_builds_keep_their_answers(warehouse: Path, data: Path, tmp_path: Path) -> None:
    """SIGKILL in the vectors and in a judgement step; the third build finishes the work."""
    answers = {
        "content_vectors": "vectors.content_vectors",
        "recovery_judgements": "construction.recovery_judgements",
    }
    for model, table in answers.items():
        build_until(f"{model}:", tmp_path, data)
        kept = count(tmp_path / "build.duckdb", f"select count(*) from {table}")
        wanted = count(warehouse / "build.duckdb", f"select count(*) from {table}")
        assert 0 < kept < wanted, f"{model} was not killed in the middle"
    assert not (tmp_path / "heterqa.duckdb").exists()

    build(tmp_path, data)
    assert tree(tmp_path / "release") == tree(warehouse / "release")
    asked = count(
        tmp_path / "build.duckdb",
        "select last(asked order by rowid) from quality.asked where model = 'recovery_judgements'",
    )
    assert asked == wanted - kept


def test_an_unchanged_build_asks_nothing(warehouse: Path, data: Path) -> None:
    before = tree(warehouse / "release")
    printed = build(warehouse, data)
    assert "models asked 0 times" in printed
    assert tree(warehouse / "release") == before


def test_dbt_unit_tests_pass(warehouse: Path, data: Path) -> None:
    """Every rule's unit test, with the tables of a finished build as the shapes of its inputs."""
    settings = environment(warehouse, data, DBT_TARGET_PATH=str(warehouse / "unit_target"))
    project = str(REPO / "dbt_project")
    result = subprocess.run(
        [
            *(sys.executable, "-m", "dbt.cli.main", "test", "--select", "test_type:unit"),
            *("--project-dir", project, "--profiles-dir", project),
            *("--log-path", str(warehouse / "unit_target")),
        ],
        cwd=REPO,
        env=settings,
        capture_output=True,
        text=True,
        timeout=400,
    )
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr
    assert " ERROR=0 " in result.stdout and "PASS=0 " not in result.stdout


def test_default_settings_are_documented() -> None:
    documented = (REPO / ".env.example").read_text()
    for variable in Settings.from_env({}).to_env():
        assert f"{variable}=" in documented
