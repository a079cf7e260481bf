"""dbt, called inside this process: a kill of it ends model calls, locks and dbt at once."""

from __future__ import annotations

import hashlib
import json
import os
import queue
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from dagster_defs.warehouse.lock import explain_database_error
from udfs.endpoint.budget import BudgetSpent
from udfs.endpoint.failures import EndpointDown
from udfs.warehouse.errors import UserError
from udfs.warehouse.places import REPO
from udfs.warehouse.settings import Settings

PROJECT_FOLDER = REPO / "dbt_project"
SOURCE_FOLDERS = ("dbt_project", "models", "macros", "seeds", "tests/audits")
# Lines that dbt puts around a message, about the place of the error, which `_where` names.
FRAMES = (
    "Compilation Error in ",
    "Database Error in ",
    "Runtime Error in ",
    "compiled code at ",
    "> called by ",
    "> in macro ",
)
# The lines of a traceback above its last one, which is the error.
CALLS = re.compile(r"^([ \t]*)Traceback \(most recent call last\):\n(?:\1[ \t]+.*\n)*", re.M)
QUIET_SECONDS = 3.0
WANTED_EVENTS = {
    "NodeStart",
    "LogModelResult",
    "LogSeedResult",
    "LogTestResult",
    "JinjaLogInfo",
}

# The exception of a SQL function, inside the message that DuckDB makes of it.
RAISED = re.compile(
    r"Python exception occurred while executing the UDF: (\w+): (.*?)(\n\s*At:|$)", re.S
)
USER_ERRORS = {error.__name__ for error in (UserError, EndpointDown, BudgetSpent)}
# What a macro raises for input that cannot be used begins so (macros/files/messages.sql).
UNUSABLE_INPUT = f"{UserError.__name__}: "

Event = dict[str, Any]


class BuildError(Exception):
    """A model or an audit failed; the message says which, why, and where its SQL is."""


def run_dbt(
    settings: Settings, arguments: list[str], when_quiet: Callable[[], None] | None = None
) -> Iterator[Event]:
    """Run one dbt command and yield its events as they happen.

    when_quiet is called each time that dbt sends no event for some seconds.
    Once all events are out, raises UserError for input that a macro cannot use, else BuildError
    with every failed node in plain words.
    """
    # Imported here: it takes a second, which a lock error or --help should not cost.
    from dbt.cli.main import dbtRunner, dbtRunnerResult
    from google.protobuf.json_format import MessageToDict

    events: queue.SimpleQueue[Event | dbtRunnerResult] = queue.SimpleQueue()

    def forward(event: Any) -> None:
        if event.info.name in WANTED_EVENTS:
            events.put(MessageToDict(event, preserving_proto_field_name=True))

    def invoke() -> None:
        try:
            events.put(dbtRunner(callbacks=[forward]).invoke(_command_line(settings, arguments)))
        finally:
            _close_warehouse()

    os.environ.update(settings.to_env())
    thread = threading.Thread(target=invoke, name="dbt", daemon=True)
    thread.start()
    while True:
        try:
            event = events.get(timeout=QUIET_SECONDS)
        except queue.Empty:
            if when_quiet:
                when_quiet()
            continue
        if isinstance(event, dbtRunnerResult):
            break
        yield event
    thread.join()
    if not event.success:
        if sentence := _unusable_input(event):
            raise UserError(sentence)
        raise BuildError("\n".join(_failures(settings, event)))


def load_manifest(settings: Settings) -> Mapping[str, Any]:
    """The parsed project; parsed anew when a file of it, or a setting, changed since.

    Raises BuildError when the project cannot be parsed.
    """
    path = settings.dbt_target_dir / "manifest.json"
    stamp = settings.dbt_target_dir / "parsed_from.txt"
    current = f"{REPO}\n{_project_fingerprint(settings)}"
    parsed = stamp.read_text(encoding="utf-8") if stamp.exists() else ""
    if not path.exists() or parsed != current:
        if not parsed.startswith(f"{REPO}\n"):
            # dbt's cached parse holds the paths of a project folder that is not this one.
            (settings.dbt_target_dir / "partial_parse.msgpack").unlink(missing_ok=True)
        for _ in run_dbt(settings, ["parse"]):
            pass
        stamp.write_text(current, encoding="utf-8")
    manifest = json.loads(path.read_text(encoding="utf-8"))
    _attach_audits(manifest)
    return manifest


def _command_line(settings: Settings, arguments: list[str]) -> list[str]:
    return [
        "--log-level",
        "none",
        "--log-level-file",
        "info",
        "--log-path",
        str(settings.dbt_target_dir),
        *arguments,
        "--target-path",
        str(settings.dbt_target_dir),
        "--project-dir",
        str(PROJECT_FOLDER),
        "--profiles-dir",
        str(PROJECT_FOLDER),
    ]


def _close_warehouse() -> None:
    """Let go of build.duckdb: the adapter would keep it open until the process ends."""
    from dbt.adapters.duckdb.connections import DuckDBConnectionManager

    environment = DuckDBConnectionManager._ENV
    if environment is not None:
        environment.close()
    DuckDBConnectionManager.close_all_connections()


def _project_fingerprint(settings: Settings) -> str:
    digest = hashlib.sha256(repr(sorted(settings.to_env().items())).encode())
    for folder in SOURCE_FOLDERS:
        for file in sorted((REPO / folder).rglob("*")):
            if file.is_file() and file.suffix in (".sql", ".yml", ".csv", ".py"):
                status = file.stat()
                digest.update(f"{file} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _attach_audits(manifest: dict[str, Any]) -> None:
    """Make each audit over several models a check of the last of them.

    Dagster attaches a test to one asset, and leaves such audits out unless their meta names it.
    """
    nodes, parents = manifest["nodes"], manifest["parent_map"]

    def ancestors(unique_id: str) -> set[str]:
        if unique_id not in known:
            known[unique_id] = set().union(
                *({p} | ancestors(p) for p in parents.get(unique_id, []))
            )
        return known[unique_id]

    known: dict[str, set[str]] = {}
    for node in nodes.values():
        models = sorted(set(node["depends_on"].get("nodes", [])))
        if node["resource_type"] != "test" or node.get("attached_node") or len(models) < 2:
            continue
        above = set().union(*(ancestors(model) for model in models))
        last = [model for model in models if model not in above][-1]
        node["config"]["meta"] = {"dagster": {"ref": {"name": nodes[last]["name"]}}}


def _unusable_input(result: Any) -> str | None:
    """What the first macro said that stopped the run for input that it cannot use; else None."""
    for node_result in getattr(result.result, "results", []):
        message = _plain(node_result.message or "")
        if message.startswith(UNUSABLE_INPUT):
            return message.removeprefix(UNUSABLE_INPUT)
    return None


def _failures(settings: Settings, result: Any) -> list[str]:
    """Every failed node of a run in plain words, or why there was no run at all."""
    if result.result is None or not hasattr(result.result, "results"):
        message = _plain(str(result.exception or "dbt stopped without a reason"))
        explained = explain_database_error(message)
        return [explained or f"dbt could not run: {message}"]
    sentences = []
    skipped = 0
    for node_result in result.result.results:
        status = str(node_result.status)
        node = node_result.node
        if status == "skipped":
            skipped += 1
        if status not in ("error", "fail", "runtime error"):
            continue
        message = _plain(node_result.message or "")
        explained = explain_database_error(message) or _user_error(message)
        what = (
            f"audit {node.name}" if node.resource_type == "test" else f"{node.schema}.{node.name}"
        )
        if explained:
            return [explained]
        if status == "fail":
            message = f"found {node_result.failures} rows that must not be"
        sentences.append(f"{what} failed: {message}{_where(settings, node)}")
    if skipped:
        sentences.append(f"{skipped} models and audits behind it were skipped")
    return sentences or [_plain(str(result.exception or "dbt failed without a reason"))]


def _user_error(message: str) -> str | None:
    """The sentence for the user that a SQL function raised; None for any other message."""
    raised = RAISED.search(message)
    if raised is None or raised[1] not in USER_ERRORS:
        return None
    return " ".join(raised[2].split())


def _where(settings: Settings, node: Any) -> str:
    compiled = getattr(node, "compiled_path", None)
    if compiled and (REPO / compiled).exists():
        return f"\n    its SQL: {os.path.normpath(REPO / compiled)}"
    return f"\n    its file: {(PROJECT_FOLDER / Path(node.original_file_path)).resolve()}"


def _plain(message: str) -> str:
    """dbt's message without headings, calls, margins, and the paths that `_where` names."""
    lines = [line.strip() for line in CALLS.sub("", message).strip().splitlines()]
    kept = [
        line
        for line in lines
        if line
        and not line.startswith(FRAMES)
        and line not in ("Runtime Error", "Database Error", "Compilation Error")
    ]
    return "\n    ".join(kept)
