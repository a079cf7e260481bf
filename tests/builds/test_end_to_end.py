"""Builds of a small city: equal on any threads, resumed after a kill, quiet when unchanged."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from tests.support.builds import (
    PATIENCE,
    QUESTIONS,
    build,
    count,
    environment,
    run_build,
    tree,
)
from tests.support.hanging_build import HANGING
from tests.support.render import render
from udfs.warehouse.places import REPO


def kill_in_the_middle(function: str, warehouse: Path, data: Path, **settings: str) -> None:
    """Start a build and SIGKILL it once the SQL function has answered one batch."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.hanging_build", function],
        cwd=REPO,
        env=environment(warehouse, data, **settings),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    seen = []
    for line in process.stdout:
        seen.append(line)
        if HANGING in line:
            break
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert HANGING in seen[-1], "".join(seen)[-4000:]


def certified(warehouse: Path) -> int:
    return count(
        warehouse / "heterqa.duckdb", "select count(*) from construction.certified_questions"
    )


def test_certifies_questions(warehouse: Path) -> None:
    published = warehouse / "heterqa.duckdb"
    assert certified(warehouse) >= QUESTIONS / 2
    assert count(published, "select min(answer_count) from release.queries") >= 1
    assert count(published, "select max(answer_count) from release.queries") <= 10
    assert count(published, "select count(distinct run) from evaluation.leaderboard") == 3
    assert {path.name for path in (warehouse / "runs").iterdir()} == {
        "bm25.trec",
        "dense.trec",
        "hybrid.trec",
    }


def test_every_table_and_column_says_what_it_is(warehouse: Path) -> None:
    with duckdb.connect(warehouse / "heterqa.duckdb", read_only=True) as connection:
        silent = connection.execute(
            "select schema_name || '.' || table_name from duckdb_tables()"
            " where not internal and coalesce(trim(comment), '') = '' order by all"
        ).fetchall()
        answers = connection.execute(
            "select schema_name || '.' || table_name from quality.answer_tables order by all"
        ).fetchall()
        silent_columns = connection.execute(
            "select table_name || '.' || column_name from duckdb_columns()"
            " where not internal and coalesce(trim(comment), '') = ''"
            # The fields of a collection's records are not known before its build.
            " and table_name != 'records'"
        ).fetchall()
        listed = connection.execute(
            "select sql from duckdb_views() where view_name = 'responses'"
        ).fetchall()[0][0]
    assert silent == []
    assert silent_columns == []
    assert len(answers) >= 12
    assert all(f"'{name}' AS step" in listed for (name,) in answers)


def test_a_killed_build_resumes_and_threads_and_hashing_change_nothing(
    warehouse: Path, data: Path, tmp_path: Path
) -> None:
    """SIGKILL in the vectors and in a judgement step; the third build finishes the work."""
    other = {"HETERQA_THREADS": "1", "PYTHONHASHSEED": "2"}
    answers = {
        "embed_text": "vectors.content_vectors",
        "judge_text": "construction.recovery_judgements",
    }
    for function, table in answers.items():
        kill_in_the_middle(function, tmp_path, data, **other)
        kept = count(tmp_path / "build.duckdb", f"select count(*) from {table}")
        wanted = count(warehouse / "build.duckdb", f"select count(*) from {table}")
        assert 0 < kept < wanted, f"{table} was not filled in part"
    assert not (tmp_path / "heterqa.duckdb").exists()

    build(tmp_path, data, **other)
    assert tree(tmp_path / "release") == tree(warehouse / "release")
    assert tree(tmp_path / "runs") == tree(warehouse / "runs")
    asked = count(
        tmp_path / "build.duckdb",
        "select last(asked order by rowid) from quality.asked where model = 'recovery_judgements'",
    )
    assert asked == wanted - kept


def test_an_unchanged_build_asks_nothing(warehouse: Path, data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "warehouse"
    shutil.copytree(warehouse, folder)
    shutil.rmtree(folder / "release")
    printed = build(folder, data)
    assert "models asked 0 times" in printed
    assert tree(folder / "release") == tree(warehouse / "release")


@pytest.fixture(scope="session")
def imported(tmp_path_factory: pytest.TempPathFactory, warehouse: Path, data: Path) -> Path:
    """A build that evaluates the release of the finished one, in a copy of its warehouse."""
    folder = tmp_path_factory.mktemp("imported") / "warehouse"
    shutil.copytree(warehouse, folder)
    (folder / "decisions").mkdir()
    (folder / "decisions" / "mine.jsonl").write_text("unfinished")
    printed = build(folder, data, HETERQA_RELEASE=str(warehouse / "release"))
    assert "models asked 0 times" in printed
    assert f"{certified(warehouse)} questions of the release" in printed
    return folder


def test_an_imported_release_scores_as_in_the_build_that_wrote_it(
    warehouse: Path, imported: Path
) -> None:
    with duckdb.connect() as connection:
        for name, folder in (("built", warehouse), ("read", imported)):
            connection.execute(f"attach '{folder}/heterqa.duckdb' as {name} (read_only)")
        for table in (
            "evaluation.leaderboard",
            "evaluation.per_question_metrics",
            "retrieval.runs",
            "release.queries",
            "release.answers",
            "release.qrels",
            "quality.question_diversity",
        ):
            built, read = (
                connection.execute(f"from {name}.{table} order by all").fetchall()
                for name in ("built", "read")
            )
            assert built and read == built, table
    assert tree(imported / "runs") == tree(warehouse / "runs")


def test_the_answers_of_an_imported_release_score_1(warehouse: Path, imported: Path) -> None:
    metrics = render("{{ question_metrics('gold', 'release.qrels', 'release.queries') }}")
    with duckdb.connect(imported / "heterqa.duckdb", read_only=True) as connection:
        connection.execute(
            "create temp table gold as select 'gold' as run, *, 1 as rank from release.qrels"
        )
        values = connection.execute(
            f"select metric, min(value), max(value), count(*) from {metrics} group by metric"
        ).fetchall()
    assert sorted(values) == [
        (metric, 1.0, 1.0, certified(warehouse)) for metric in ("hit@5", "mrr@10", "recall@10")
    ]


def test_an_import_constructs_nothing_and_leaves_what_was_constructed(
    warehouse: Path, imported: Path
) -> None:
    assert tree(imported / "release") == tree(warehouse / "release")
    assert (imported / "decisions" / "mine.jsonl").read_text() == "unfinished"
    tables = "select count(*) from duckdb_tables() where schema_name = 'construction'"
    assert count(imported / "heterqa.duckdb", tables) == 0
    assert count(imported / "build.duckdb", tables) > 0
    assert count(imported / "heterqa.duckdb", "select count(*) from release.evidence") == 0
    page = (imported / "report.html").read_text(encoding="utf-8")
    assert "questions of the release" in page
    assert "From attempts to questions" not in page


def test_a_release_that_does_not_fit_is_refused_line_by_line(
    warehouse: Path, data: Path, imported: Path, tmp_path: Path
) -> None:
    release = tmp_path / "release"
    shutil.copytree(warehouse / "release", release)
    lines = (release / "data/answers.jsonl").read_text(encoding="utf-8").splitlines()
    first, third = json.loads(lines[0]), json.loads(lines[2])
    gone = first["answer_business_ids"][0]
    lines[0] = lines[0].replace(gone, "gone")
    lines[2] = json.dumps(third | {"answer_count": 9})
    (release / "data/answers.jsonl").write_text("\n".join(lines), encoding="utf-8")
    qrels = (release / "data/qrels/test.tsv").read_text(encoding="utf-8")
    pair = f"{first['qid']}\t{gone}\t"
    assert pair in qrels
    (release / "data/qrels/test.tsv").write_text(qrels.replace(pair, f"{first['qid']}\tgone\t"))
    before = (imported / "heterqa.duckdb").stat()

    result = run_build(imported, data, HETERQA_RELEASE=str(release))

    assert result.returncode == 2
    listed = len(third["answer_business_ids"])
    assert result.stderr.splitlines() == [
        f"error: HETERQA_RELEASE: {release} cannot be evaluated on this collection "
        "(missing record 1, wrong count 1):",
        f"    data/answers.jsonl, line 1: lists the answer 'gone' of '{first['qid']}', which this "
        "collection lacks; use the collection of the release, or leave such questions out with "
        "release_missing: skip",
        f"    data/answers.jsonl, line 3: has the answer_count 9 for '{third['qid']}' and lists "
        f"{listed}; make them agree",
        f"{imported}/heterqa.duckdb is as it was.",
    ]
    assert (imported / "heterqa.duckdb").stat() == before


def test_dbt_unit_tests_pass(warehouse: Path, data: Path, tmp_path: Path) -> None:
    """Every rule's unit test, with the tables of a finished build as the shapes of its inputs."""
    shutil.copy(warehouse / "build.duckdb", tmp_path)
    target = tmp_path / "unit_target"
    settings = environment(tmp_path, data, DBT_TARGET_PATH=str(target), HETERQA_RELEASE="")
    project = str(REPO / "dbt_project")
    result = subprocess.run(
        [
            *(sys.executable, "-m", "dbt.cli.main", "test", "--select", "test_type:unit"),
            *("--project-dir", project, "--profiles-dir", project),
            *("--log-path", str(target)),
        ],
        cwd=REPO,
        env=settings,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert result.returncode == 0, result.stdout[-6000:] + result.stderr
    assert " ERROR=0 " in result.stdout and "PASS=0 " not in result.stdout
