"""The dbt-duckdb plugin: what every connection and cursor of a build is given."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import duckdb
from dbt.adapters.duckdb.plugins import BasePlugin
from duckdb import DuckDBPyConnection

from udfs.batch import Asking
from udfs.budget import Budget
from udfs.functions import functions, paid_functions, register
from udfs.ledger import JOURNAL, Journal, ledger_pattern, spent_before
from udfs.profile import Profile, load_profile
from udfs.settings import PROFILE_FOLDER, RELEASE_FILES, Settings

EMBEDDED = PROFILE_FOLDER / "embedded.yml"


class Plugin(BasePlugin):
    """Configures every connection and cursor that dbt opens."""

    def initialize(self, plugin_config: dict[str, Any]) -> None:
        self.settings = Settings.from_env()
        self.profile = load_profile(self.settings.profile_path)

    def configure_connection(self, conn: DuckDBPyConnection) -> None:
        configure_connection(conn, self.settings, self.profile)

    def configure_cursor(self, cursor: DuckDBPyConnection) -> None:
        configure_cursor(cursor, self.settings, self.profile)


def connect(path: Path | str, settings: Settings) -> DuckDBPyConnection:
    """The same connection as dbt's, for tests and tools. Raises UserError for wrong settings."""
    profile = load_profile(settings.profile_path)
    connection = duckdb.connect(str(path))
    configure_connection(connection, settings, profile)
    configure_cursor(connection, settings, profile)
    return connection


def configure_connection(
    connection: DuckDBPyConnection, settings: Settings, profile: Profile
) -> None:
    """What all cursors of a database share: the extension, threads, functions."""
    load_extension(connection, "spatial")
    connection.execute(f"set threads = {settings.threads}")
    asking = Asking(
        settings.threads,
        settings.photo_folder,
        budget=Budget(settings.max_cost, spent_before(connection, settings)),
        stand_ins=load_profile(EMBEDDED) if settings.is_dry_run else None,
    )
    journal = None if settings.is_dry_run else Journal(settings.ledger_dir / JOURNAL).write
    for name, function in functions(profile).items():
        register(connection, name, function, asking, journal)


def configure_cursor(cursor: DuckDBPyConnection, settings: Settings, profile: Profile) -> None:
    """What each cursor forgets: the axis order of points and the variables of the build."""
    cursor.execute("set geometry_always_xy = true")
    named = variables(settings) | {"paid_functions": ",".join(paid_functions(profile))}
    for name, value in named.items():
        cursor.execute(f"set variable {name} = $value", {"value": value})


def variables(settings: Settings) -> dict[str, str]:
    """SQL variables: absolute paths of the inputs; an absent file is replaced by an empty one."""
    inputs = {
        f"input_{name}": path or _empty_file(settings, name)
        for name, path in settings.input_files().items()
    }
    release = settings.release_files()
    releases = {
        f"input_{name}": release.get(name) or _empty_file(settings, name) for name in RELEASE_FILES
    }
    truths = {
        f"truth_{name}": _truth_file(settings, name)
        for name in ("fields", "features", "visible", "sentences")
    }
    decisions = settings.decisions_dir / "*.jsonl"
    if not any(settings.decisions_dir.glob("*.jsonl")):
        decisions = _empty_file(settings, "decisions")
    fields = settings.field_rules_path
    if not fields.is_file():
        fields = _empty_file(settings, "fields")
    paths = inputs | releases | truths | {"decisions": decisions, "input_fields": fields}
    return {name: str(path) for name, path in paths.items()} | {"ledger": ledger_pattern(settings)}


def load_extension(connection: DuckDBPyConnection, name: str) -> None:
    """Load an extension: an installed one, else the file in its wheel, else from the network."""
    try:
        connection.execute(f"load {name}")
        return
    except duckdb.Error:
        pass
    package = importlib.util.find_spec(f"duckdb_extension_{name}")
    for root in (package.submodule_search_locations or []) if package else []:
        file = Path(root) / "extensions" / f"v{duckdb.__version__}" / f"{name}.duckdb_extension"
        if file.is_file():
            quoted = str(file).replace("'", "''")
            connection.execute(f"load '{quoted}'")
            return
    connection.execute(f"install {name}")
    connection.execute(f"load {name}")


def _truth_file(settings: Settings, name: str) -> Path:
    path = settings.truth_dir / f"{name}.jsonl" if settings.truth_dir else None
    return path if path and path.is_file() else _empty_file(settings, f"truth_{name}")


def _empty_file(settings: Settings, name: str) -> Path:
    path = settings.empty_dir / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path
