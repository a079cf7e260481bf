"""Publishing under readers, and the lock between writers, with real processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pytest

from dagster_defs.outputs.publish import publish
from dagster_defs.warehouse.lock import build_lock, check_build_file
from udfs.warehouse.errors import UserError
from udfs.warehouse.folders import _exchange, replace_folder, restore_folder
from udfs.warehouse.places import REPO
from udfs.warehouse.settings import Settings

NUMBERS = {("main", "numbers")}
READER = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1], read_only=True)
for line in sys.stdin:
    print(connection.execute('select count(*), sum(n) from numbers').fetchone(), flush=True)
"""
HOLDER = """
import sys
from dagster_defs.warehouse.lock import build_lock
from udfs.warehouse.settings import Settings
with build_lock(Settings.from_env()):
    print('held', flush=True)
    sys.stdin.readline()
"""
OPENER = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1])
print('open', flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.from_env({"HETERQA_WAREHOUSE": str(tmp_path / "warehouse")})


def write_numbers(settings: Settings, count: int) -> None:
    settings.warehouse.mkdir(exist_ok=True)
    with duckdb.connect(settings.build_path) as connection:
        connection.execute(f"create or replace table numbers as select n from range({count}) t(n)")


def count_published(settings: Settings) -> int:
    with duckdb.connect(settings.published_path, read_only=True) as connection:
        (count,) = connection.execute("select count(*) from numbers").fetchone() or (0,)
    return count


@contextmanager
def running(script: str, *arguments: str, **env: str) -> Iterator[subprocess.Popen[str]]:
    """A process that is ended when the block is left."""
    process = subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        env=os.environ | {"PYTHONPATH": str(REPO)} | env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def ask(process: subprocess.Popen[str]) -> str:
    assert process.stdin and process.stdout
    process.stdin.write("\n")
    process.stdin.flush()
    return process.stdout.readline().strip()


def test_a_reader_keeps_what_it_opened_and_the_next_one_sees_the_new(settings: Settings) -> None:
    write_numbers(settings, 1000)
    publish(settings, NUMBERS)
    with running(READER, str(settings.published_path)) as reader:
        assert ask(reader) == "(1000, 499500)"
        write_numbers(settings, 10)
        publish(settings, NUMBERS)
        assert ask(reader) == "(1000, 499500)"
        assert count_published(settings) == 10
    with running(READER, str(settings.published_path)) as reader:
        assert ask(reader) == "(10, 45)"


def test_what_is_published_needs_no_log_beside_it(settings: Settings) -> None:
    write_numbers(settings, 5)
    publish(settings, NUMBERS)
    assert not list(settings.warehouse.glob("*.wal"))
    assert sorted(path.name for path in settings.warehouse.iterdir()) == [
        "build.duckdb",
        "heterqa.duckdb",
    ]


def test_tables_that_are_not_of_this_build_stay_behind(settings: Settings) -> None:
    write_numbers(settings, 5)
    with duckdb.connect(settings.build_path) as connection:
        connection.execute("create schema construction; create table construction.slots (n int)")
        connection.execute('create view construction."number ""s""" as select * from numbers')
    publish(settings, NUMBERS | {("construction", "never_built")})
    assert count_published(settings) == 5
    for path, expected in ((settings.published_path, 0), (settings.build_path, 2)):
        with duckdb.connect(path, read_only=True) as connection:
            tables = (
                "select count(*) from information_schema.tables where table_schema = 'construction'"
            )
            assert connection.execute(tables).fetchone() == (expected,)
    assert not list(settings.warehouse.glob("*.wal"))


def test_leftovers_of_a_killed_publish_are_removed(settings: Settings) -> None:
    write_numbers(settings, 5)
    leftover = settings.warehouse / ".heterqa.duckdb.4242"
    leftover.write_text("half a file")
    publish(settings, NUMBERS)
    assert not leftover.exists()
    assert count_published(settings) == 5


def test_a_failed_copy_leaves_the_published_file(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_numbers(settings, 5)
    publish(settings, NUMBERS)
    write_numbers(settings, 6)

    def full_disk(source: Path, target: Path) -> None:
        Path(target).write_text("half")
        raise OSError("no space left")

    monkeypatch.setattr("shutil.copyfile", full_disk)
    with pytest.raises(OSError, match="no space left"):
        publish(settings, NUMBERS)
    assert count_published(settings) == 5


@pytest.fixture(params=["in one step", "in two steps"])
def folders(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, Path]:
    """A new folder and the one that it replaces, on systems with and without a swap in one step."""
    if request.param == "in two steps":
        monkeypatch.setattr("udfs.warehouse.folders._exchange", lambda *_: False)
    for name in ("new", "target"):
        (tmp_path / name).mkdir()
        (tmp_path / name / name).touch()
    return tmp_path / "new", tmp_path / "target"


def test_replacing_a_folder_leaves_nothing_of_the_old_one(folders: tuple[Path, Path]) -> None:
    new, target = folders
    replace_folder(new, target)
    assert sorted(path.name for path in target.parent.rglob("*")) == ["new", "target"]
    assert (target / "new").exists()


def test_a_folder_is_put_where_none_was(folders: tuple[Path, Path]) -> None:
    new, target = folders
    replace_folder(new, target.with_name("first"))
    assert (target.with_name("first") / "new").exists()


def test_this_system_swaps_in_one_step(folders: tuple[Path, Path]) -> None:
    if sys.platform == "linux" and "in one step" in os.environ["PYTEST_CURRENT_TEST"]:
        assert _exchange(*folders)
        assert (folders[0] / "target").exists()


def test_the_next_writer_repairs_what_a_kill_left(settings: Settings) -> None:
    """A kill after the old folder was moved aside, and before the new one took its place."""
    for folder in settings.replaced_folders:
        aside = folder.with_name(f".{folder.name}.old")
        aside.mkdir(parents=True)
        (aside / "kept").touch()
    with build_lock(settings):
        pass
    for folder in settings.replaced_folders:
        assert (folder / "kept").exists()
        assert not folder.with_name(f".{folder.name}.old").exists()


def test_what_was_replaced_is_not_brought_back(folders: tuple[Path, Path]) -> None:
    new, target = folders
    new.rename(target.with_name(".target.old"))
    restore_folder(target)
    assert [path.name for path in target.parent.iterdir()] == ["target"]
    assert (target / "target").exists()


def test_a_second_process_is_told_who_holds_the_lock(settings: Settings) -> None:
    with running(HOLDER, HETERQA_WAREHOUSE=str(settings.warehouse)) as holder:
        assert holder.stdout and holder.stdout.readline() == "held\n"
        with pytest.raises(UserError) as error, build_lock(settings):
            pass
        expected = f"is being built by process {holder.pid} (started 20"
        assert expected in str(error.value)
        assert str(error.value).endswith("wait for it or stop it")

        holder.kill()
        holder.wait()
        assert settings.lock_path.read_text().startswith(f"process {holder.pid}")
        with build_lock(settings):
            assert settings.lock_path.read_text().startswith(f"process {os.getpid()}")


def test_the_lock_is_free_to_the_process_that_holds_it(settings: Settings) -> None:
    with build_lock(settings):
        with build_lock(settings):
            pass
        assert "process" in settings.lock_path.read_text()
        with running(HOLDER, HETERQA_WAREHOUSE=str(settings.warehouse)) as other:
            assert other.stdout and other.stdout.readline() == ""
    assert settings.lock_path.read_text() == ""


def test_an_analyst_with_the_build_file_open_is_named(settings: Settings) -> None:
    write_numbers(settings, 5)
    with running(OPENER, str(settings.build_path)) as analyst:
        assert analyst.stdout and analyst.stdout.readline() == "open\n"
        with pytest.raises(UserError) as error:
            check_build_file(settings)
    assert f"{settings.build_path} is open in process {analyst.pid}; close it there" in str(
        error.value
    )


def test_a_file_that_is_no_whole_database_is_explained(settings: Settings) -> None:
    write_numbers(settings, 5)
    half = settings.build_path.read_bytes()[: 1 << 17]
    for content in (half, half[:5000], b"not a database, but long enough to be read as one" * 500):
        settings.build_path.write_bytes(content)
        with pytest.raises(UserError, match=r"build\.duckdb is broken.* remove it, then build"):
            check_build_file(settings)
