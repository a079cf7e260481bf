"""Progress of a build on the terminal: one line a model, the lines of long steps in between."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from udfs.warehouse import journal as ledger

LONG_SECONDS = 3.0


def say(text: str) -> None:
    """Print a line at once, also into a pipe."""
    print(text, flush=True)


def short_path(path: Path) -> str:
    """The path as a person would type it: from the current folder where it is below that."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith("..") else relative


class Progress:
    """Turns dbt's events into lines. Tests show only when they fail or warn, and in a count."""

    def __init__(self, manifest: Mapping[str, Any]) -> None:
        self.names = {
            unique_id: f"{node['schema']}.{node['name']}"
            for unique_id, node in manifest["nodes"].items()
            if node["resource_type"] in ("model", "seed")
            and node["config"]["materialized"] != "ephemeral"
        }
        self.done = 0
        self.passed = 0
        self.started: dict[str, float] = {}
        self.announced: set[str] = set()
        self.paid = ledger.written

    def show(self, event: Mapping[str, Any]) -> None:
        """Print the line of an event; most events have none."""
        match event["info"]["name"]:
            case "NodeStart":
                self.started[event["data"]["node_info"]["unique_id"]] = time.monotonic()
            case "JinjaLogInfo":
                self.announced.add(event["data"].get("node_info", {}).get("unique_id", ""))
                say(event["info"]["msg"])
            case "LogModelResult" | "LogSeedResult":
                self._show_model(event["data"])
            case "LogTestResult":
                self._show_test(event["data"])

    def wait(self) -> None:
        """Print the models that have run for long, and how many paid calls have ended."""
        self._announce_running()
        if ledger.written > self.paid:
            self.paid = ledger.written
            say(f"           {self.paid:,} answers of endpoints so far")

    def finish(self) -> None:
        """Print how many tests passed."""
        say(f"  {self.done} tables built, {self.passed} tests passed")

    def _show_model(self, data: Mapping[str, Any]) -> None:
        node = data["node_info"]
        self.started.pop(node["unique_id"], None)
        self.done += 1
        name = self.names.get(node["unique_id"], node["node_name"])
        status = str(data["status"])
        seconds = float(data.get("execution_time") or 0)
        verdict = f"{seconds:6.1f} s" if not status.lower().startswith("error") else "FAILED"
        say(f"  {self.done:>3}/{len(self.names)}  {name:<42} {verdict}")

    def _show_test(self, data: Mapping[str, Any]) -> None:
        self.started.pop(data["node_info"]["unique_id"], None)
        status = str(data["status"]).lower()
        if status == "pass":
            self.passed += 1
        else:
            name = data["node_info"]["node_name"]
            say(f"           {status.upper()} {name}: {data.get('num_failures', 0)} rows")

    def _announce_running(self) -> None:
        for unique_id, since in self.started.items():
            is_long = time.monotonic() - since >= LONG_SECONDS
            if is_long and unique_id in self.names and unique_id not in self.announced:
                self.announced.add(unique_id)
                say(f"           {self.names[unique_id]} ...")
