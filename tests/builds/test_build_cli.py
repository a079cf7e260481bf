"""`make run` on a small dbt project: bad inputs, failures, locks, kills, one sentence each."""

from __future__ import annotations

import fcntl
import gzip
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from dagster_defs.commands.clean import clean
from dagster_defs.inputs.files import describe_inputs
from tests.support.builds import PATIENCE, environment, run
from tests.support.small_repo import SmallRepo
from udfs.warehouse.errors import UserError
from udfs.warehouse.places import REPO
from udfs.warehouse.settings import Settings, user_settings, variable


def published_attempts(repo: SmallRepo) -> int:
    with duckdb.connect(repo.warehouse / "heterqa.duckdb", read_only=True) as connection:
        (count,) = connection.execute("select count(*) from construction.attempts").fetchone() or (
            0,
        )
    return count


def test_help_lists_every_setting(small_repo: SmallRepo) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "dagster_defs.commands.build", "--help"],
        cwd=REPO,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in user_settings():
        assert variable(name) in result.stdout


@pytest.mark.parametrize("command", ["clean", "dev"])
@pytest.mark.parametrize(("argument", "code"), [("--help", 0), ("--bogus", 2), ("all", 2)])
def test_a_command_that_takes_no_arguments_does_nothing_with_one(
    command: str, argument: str, code: int, tmp_path: Path
) -> None:
    (tmp_path / "build.duckdb").touch()
    result = run(
        f"dagster_defs.commands.{command}",
        argument,
        # No collection is there, so that `dev` does not start where it takes the argument.
        environ=environment(tmp_path, tmp_path / "none"),
    )
    assert result.returncode == code
    assert "usage: " in result.stdout + result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["build.duckdb"]


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"HETERQA_DATA": "{root}/none"}, "error: HETERQA_DATA: there is no folder {root}/none;"),
        ({"HETERQA_DATA": "{root}/Makefile"}, "error: HETERQA_DATA: {root}/Makefile is a file;"),
        ({"HETERQA_DATA": "{root}/seeds"}, "error: HETERQA_DATA: {root}/seeds lacks yelp_"),
        ({"HETERQA_PROFILE": "nope"}, "error: HETERQA_PROFILE: there is no profile 'nope';"),
        ({"HETERQA_QUESTIONS": "ten"}, "error: HETERQA_QUESTIONS: 'ten' is not a whole number;"),
        ({"HETERQA_SEED": "7.0"}, "error: HETERQA_SEED: '7.0' is not a whole number;"),
        ({"HETERQA_THREADS": "two"}, "error: HETERQA_THREADS: 'two' is not a whole number;"),
        (
            {"HETERQA_WAREHOUSE": "{root}/Makefile/warehouse"},
            "error: HETERQA_WAREHOUSE: cannot write to {root}/Makefile/warehouse (not a directory)",
        ),
    ],
)
def test_bad_input_ends_in_one_sentence(
    settings: dict[str, str],
    sentence: str,
    built: subprocess.CompletedProcess[str],
    small_repo: SmallRepo,
) -> None:
    root = str(small_repo.root)
    (small_repo.root / "Makefile").touch()
    published = small_repo.warehouse / "heterqa.duckdb"
    before = published.stat()
    result = small_repo.build(**{k: v.format(root=root) for k, v in settings.items()})
    assert result.returncode == 2
    assert result.stderr.startswith(sentence.format(root=root))
    assert result.stderr.count("\n") == 1
    assert published.stat() == before


def test_a_second_build_is_told_who_builds(small_repo: SmallRepo) -> None:
    small_repo.warehouse.mkdir(exist_ok=True)
    with (small_repo.warehouse / "build.lock").open("a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.truncate(0)
        file.write("process 4242\n(started 2024-05-06 07:08:09+00:00)\n")
        file.flush()
        result = small_repo.build()
        file.truncate(0)
    assert result.returncode == 2
    assert result.stderr == (
        f"error: the warehouse {small_repo.warehouse} is being built by process 4242 "
        "(started 2024-05-06 07:08:09+00:00); wait for it or stop it\n"
    )


def test_an_open_build_file_is_explained(
    built: subprocess.CompletedProcess[str], small_repo: SmallRepo
) -> None:
    with duckdb.connect(small_repo.warehouse / "build.duckdb"):
        result = small_repo.build()
    assert result.returncode == 2
    assert f"build.duckdb is open in process {os.getpid()}; close it there" in result.stderr


def test_failed_audits_and_models_are_explained_and_nothing_is_published(
    built: subprocess.CompletedProcess[str], small_repo: SmallRepo, tmp_path: Path
) -> None:
    repo = SmallRepo(tmp_path / "repo")
    shutil.copytree(small_repo.root, repo.root)
    model = repo.root / "models" / "retrieval" / "runs.sql"
    model.write_text(model.read_text().replace("qid,", "no_such_column,"))
    repo.write_collection("b-1", "b-2", "bad")
    release_before = (repo.warehouse / "release" / "data" / "queries.jsonl").stat()

    result = repo.build()

    assert result.returncode == 1
    assert "audit every_question_is_answered failed: found 1 rows that must not be" in result.stderr
    assert "its SQL: " in result.stderr
    assert "retrieval.runs failed: Binder Error: " in result.stderr
    assert "no_such_column" in result.stderr
    assert "models/retrieval/runs.sql" in result.stderr
    assert "Traceback" not in result.stderr
    assert "heterqa.duckdb is as it was" in result.stderr
    for line in result.stderr.splitlines():
        if line.strip().startswith("its SQL: "):
            assert Path(line.split(": ", 1)[1]).is_file()
    assert published_attempts(repo) == 2
    assert (repo.warehouse / "release" / "data" / "queries.jsonl").stat() == release_before


def test_a_table_of_a_model_that_moved_is_not_published(
    built: subprocess.CompletedProcess[str], small_repo: SmallRepo
) -> None:
    with duckdb.connect(small_repo.warehouse / "build.duckdb") as connection:
        connection.execute("create table construction.old_name as select 1 as n")
    result = small_repo.build()
    assert result.returncode == 0, result.stderr
    assert published_attempts(small_repo) == 2
    found = "select count(*) from duckdb_tables() where table_name = 'old_name'"
    for name, expected in (("heterqa.duckdb", 0), ("build.duckdb", 1)):
        with duckdb.connect(small_repo.warehouse / name, read_only=True) as connection:
            assert connection.execute(found).fetchone() == (expected,)


def test_a_build_without_a_question_is_no_success(
    built: subprocess.CompletedProcess[str], small_repo: SmallRepo, tmp_path: Path
) -> None:
    repo = SmallRepo(tmp_path / "repo")
    shutil.copytree(small_repo.root, repo.root)
    before = (repo.warehouse / "heterqa.duckdb").stat()
    release_before = (repo.warehouse / "release" / "data" / "queries.jsonl").stat()
    model = repo.root / "models" / "construction" / "certified_questions.sql"
    model.write_text(model.read_text() + " and false\n")
    (repo.root / "tests" / "audits" / "every_question_is_answered.sql").unlink()

    result = repo.build()

    assert result.returncode == 1
    assert result.stderr == (
        "error: none of the 3 wanted questions could be certified, so nothing is published; "
        "what ended the attempts: too many candidates (2)\n"
        f"{repo.warehouse}/heterqa.duckdb is as it was.\n"
    )
    assert (repo.warehouse / "heterqa.duckdb").stat() == before
    assert (repo.warehouse / "release" / "data" / "queries.jsonl").stat() == release_before


def test_a_release_that_breaks_a_rule_is_not_published(
    built: subprocess.CompletedProcess[str], small_repo: SmallRepo, tmp_path: Path
) -> None:
    repo = SmallRepo(tmp_path / "repo")
    shutil.copytree(small_repo.root, repo.root)
    queries, published = (
        repo.warehouse / "release" / "data" / "queries.jsonl",
        repo.warehouse / "heterqa.duckdb",
    )
    before = queries.stat(), published.stat()
    model = repo.root / "models" / "construction" / "questions.sql"
    model.write_text(model.read_text().replace("Which", f"{repo.data}/x: which"))

    result = repo.build()

    assert result.returncode == 1
    assert result.stderr.startswith("error: data/queries.jsonl, line 1: a local path in query")
    assert result.stderr.endswith(f"\n{published} is as it was.\n")
    assert result.stderr.count("\n") == 2
    assert (queries.stat(), published.stat()) == before


def test_a_folder_in_the_place_of_a_file_is_named(
    built: subprocess.CompletedProcess[str], small_repo: SmallRepo, tmp_path: Path
) -> None:
    warehouse = tmp_path / "warehouse"
    (warehouse / "report.html" / "inside").mkdir(parents=True)
    result = small_repo.build(HETERQA_WAREHOUSE=str(warehouse))
    assert result.returncode == 1
    assert result.stderr.startswith(f"error: {warehouse}/.report.html.")
    assert result.stderr.endswith(": is a directory\n")
    assert result.stderr.count("\n") == 1


def test_a_damaged_file_is_named(
    built: subprocess.CompletedProcess[str], small_repo: SmallRepo, tmp_path: Path
) -> None:
    shutil.copytree(small_repo.data, tmp_path / "collection")
    file = tmp_path / "collection" / "yelp_academic_dataset_review.json"
    file.unlink()
    damaged = file.with_name(f"{file.name}.gz")
    damaged.write_bytes(gzip.compress(b"{}\n" * 1000)[:-9])
    published = small_repo.warehouse / "heterqa.duckdb"
    before = published.stat()

    result = small_repo.build(HETERQA_DATA=str(tmp_path / "collection"))

    assert result.returncode == 2
    assert result.stderr.startswith(f"error: {damaged} is damaged or cut off (")
    assert result.stderr.endswith(f"; fetch it again\n{published} is as it was.\n")
    assert result.stderr.count("\n") == 2
    assert published.stat() == before


def test_a_file_that_may_not_be_read_is_named(
    small_repo: SmallRepo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    settings = Settings.from_env(
        {"HETERQA_WAREHOUSE": str(tmp_path), "HETERQA_DATA": str(small_repo.data)}
    )
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UserError, match=r"business\.json cannot be read \(permission denied\)"):
        describe_inputs(settings)
    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(UserError, match=r"collection cannot be read \(permission denied\)"):
        describe_inputs(settings)


def test_clean_keeps_decisions(
    built: subprocess.CompletedProcess[str], small_repo: SmallRepo, tmp_path: Path
) -> None:
    warehouse = tmp_path / "warehouse"
    shutil.copytree(small_repo.warehouse, warehouse)
    (warehouse / "decisions").mkdir()
    (warehouse / "estimate").mkdir()
    (warehouse / "notes.txt").touch()
    clean(Settings.from_env({"HETERQA_WAREHOUSE": str(warehouse)}))
    assert sorted(path.name for path in warehouse.iterdir()) == [
        "build.lock",
        "decisions",
        "notes.txt",
    ]


def test_ctrl_c_ends_a_build_at_once(
    built: subprocess.CompletedProcess[str], small_repo: SmallRepo
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "dagster_defs.commands.build"],
        cwd=small_repo.root,
        env=small_repo.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A test run in the background would hand down that Ctrl-C is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        assert process.stdout
        for line in process.stdout:
            if line.strip().startswith("1/"):
                process.send_signal(signal.SIGINT)
                break
        _, errors = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    assert process.returncode == 130
    assert errors == "\nstopped; the answers so far are kept for the next `make run`\n"
