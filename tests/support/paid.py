"""Builds that pay: their settings, what was printed and asked on the way, and what they know."""

from __future__ import annotations

import gzip
import itertools
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import yaml

from tests.support.builds import PATIENCE, environment, query, run, tree
from tests.support.fault_server import FaultServer
from tests.support.small_repo import make_small_repo
from udfs.warehouse.places import PROFILE_FOLDER

KEY = "sk-planted-4f9b2c7d1e8a6053"
DEAD = "http://127.0.0.1:9/v1"
IN_FLIGHT = 16
PRICE = {"prompt_tokens": 0.15 / 1e6, "completion_tokens": 0.60 / 1e6}
# Paid for, but the answer does not arrive: asked again, as nobody can tell.
LOST = ("half_body", "drip")


@dataclass(frozen=True)
class Paying:
    """A repository whose builds pay, its collection, and a profile with short waits."""

    root: Path
    data: Path
    profile: Path

    def environment(self, warehouse: Path, url: str, **settings: str) -> dict[str, str]:
        paid = {
            "HETERQA_PROFILE": str(self.profile),
            "HETERQA_BASE_URL": url,
            "HETERQA_MODEL": "fake",
            "OPENAI_API_KEY": KEY,
            "COLUMNS": "200",
            "PYTHONPATH": str(self.root),
        }
        return environment(warehouse, self.data, **(paid | settings))

    def run(
        self, command: str, warehouse: Path, url: str, *arguments: str, **settings: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command of the Makefile to its end, whatever that is."""
        environ = self.environment(warehouse, url, **settings)
        module = f"dagster_defs.commands.{command}"
        return run(module, *arguments, environ=environ, root=self.root)

    def build(self, warehouse: Path, url: str, *arguments: str, **settings: str) -> str:
        """A build that has to succeed; returns what it printed."""
        result = self.run("build", warehouse, url, *arguments, **settings)
        assert result.returncode == 0, result.stdout[-4000:] + result.stderr
        return result.stdout

    def signal(
        self,
        command: str,
        warehouse: Path,
        server: FaultServer,
        when: Callable[[], bool],
        number: int,
        **settings: str,
    ) -> tuple[int, str]:
        """Send a signal to a command once something is so; its exit code and last words."""
        process = subprocess.Popen(
            [sys.executable, "-m", f"dagster_defs.commands.{command}"],
            cwd=self.root,
            env=self.environment(warehouse, server.base_url, **settings),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            # A test run in the background would hand down that Ctrl-C is ignored.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        try:
            deadline = time.monotonic() + PATIENCE
            while not when():
                if process.poll() is not None or time.monotonic() > deadline:
                    process.kill()
                    raise AssertionError(process.communicate())
                time.sleep(0.01)
            process.send_signal(number)
            _, errors = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
        return process.returncode, errors


@dataclass
class Outcome:
    """A warehouse, what was printed on the way, and what servers were asked for it."""

    warehouse: Path
    printed: dict[str, Any] = field(default_factory=dict)
    calls: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    @property
    def published(self) -> Path:
        return self.warehouse / "heterqa.duckdb"

    @property
    def release(self) -> dict[str, bytes]:
        return tree(self.warehouse / "release")

    def paid(self, *stages: str, with_repairs: bool = True) -> Counter[str]:
        """How often each distinct request was answered in these stages."""
        calls = itertools.chain.from_iterable(self.calls[stage] for stage in stages)
        return Counter(
            call["body_hash"]
            for call in calls
            if call["is_paid"]
            and not call["is_probe"]
            and call["fault"] not in LOST
            and (with_repairs or not call["is_repair"])
        )

    def spent(self, *stages: str) -> tuple[float, int]:
        """Dollars and tokens that the server charged in these stages."""
        usages = [call.get("usage") or {} for stage in stages for call in self.calls[stage]]
        tokens = {name: sum(usage.get(name, 0) for usage in usages) for name in PRICE}
        dollars = sum(tokens[name] * price for name, price in PRICE.items())
        return dollars, sum(tokens.values())


def paid_project(folder: Path) -> Paying:
    """The small repository with three paid steps, of 120, 120 and 40 requests."""
    repo = make_small_repo(folder / "repo", "paid")
    # Its servers never hang: what times out there is asked, and paid, twice.
    return Paying(repo.root, repo.data, quick_profile(folder, timeout_seconds=600))


def quick_profile(folder: Path, timeout_seconds: int) -> Path:
    """The profile `openai` with short waits after a failure."""
    profile = yaml.safe_load((PROFILE_FOLDER / "openai.yml").read_text(encoding="utf-8"))
    quick = {"attempts": 2, "back_off_seconds": 0.02}
    quick |= {"timeout_seconds": timeout_seconds, "deadline_seconds": 8 * timeout_seconds}
    for parameters in profile.values():
        if parameters.get("backend") == "openai":
            parameters |= quick
    path = folder / "quick.yml"
    path.write_text(yaml.safe_dump(profile), encoding="utf-8")
    return path


def estimated(printed: str) -> dict[str, list[float]]:
    """The numbers of an estimate by step: requests, to ask, tokens in and out, dollars."""
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in printed.splitlines()]
    return {row[0]: [float(n.replace(",", "")) for n in row[1:]] for row in rows if len(row) == 6}


def files_of(warehouse: Path) -> dict[str, bytes]:
    """The files of a warehouse but for its lock, and that the folder of a scratch is gone."""
    assert not (warehouse / "estimate").exists()
    return {name: content for name, content in tree(warehouse).items() if name != "build.lock"}


def files_with(folder: Path, secret: str) -> list[Path]:
    """The files that hold a secret, also in the values of their tables, which are compressed."""
    return [path for path in folder.rglob("*") if path.is_file() and _holds(path, secret)]


def _holds(path: Path, secret: str) -> bool:
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    if secret.encode() in content:
        return True
    if path.suffix not in (".duckdb", ".first"):
        return False
    tables = query(path, "select schema_name, table_name from duckdb_tables() where not temporary")
    with duckdb.connect(path, read_only=True) as connection:
        return any(
            connection.execute(
                f'select count(*) from "{schema}"."{name}" as row where contains(row::varchar, ?)',
                [secret],
            ).fetchone()
            != (0,)
            for schema, name in tables
        )


def report_to_dagster(paying: Paying, warehouse: Path) -> None:
    """What `make dev` does first: the last build's results go to Dagster's own storage."""
    shown = subprocess.run(
        [
            *(sys.executable, "-c"),
            "from dagster_defs.warehouse.instance import report_saved_results as show;"
            " from udfs.warehouse.settings import Settings; show(Settings.from_env())",
        ],
        cwd=paying.root,
        env=paying.environment(warehouse, DEAD),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert shown.returncode == 0, shown.stderr
