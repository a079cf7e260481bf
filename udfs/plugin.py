"""The dbt-duckdb plugin: what every connection and cursor of a build is given."""

from __future__ import annotations

import glob
import importlib.util
from pathlib import Path
from typing import Any

import duckdb
from dbt.adapters.duckdb.plugins import BasePlugin
from duckdb import DuckDBPyConnection

from udfs.endpoint.budget import Budget
from udfs.functions import functions, paid_functions, register
from udfs.profiles.profile import EMBEDDED, Profile, load_profile
from udfs.roles.asking import Asking
from udfs.warehouse.collection import input_files, photo_folder, written_files
from udfs.warehouse.inputs import read_inputs
from udfs.warehouse.journal import JOURNAL, Journal, ledger_pattern, paid_so_far
from udfs.warehouse.settings import Settings


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
    """What all cursors of a database share: the extension, threads, memory, functions."""
    load_extension(connection, "spatial")
    connection.execute(f"set threads = {settings.threads}")
    connection.execute(f"set memory_limit = '{settings.memory_gb}GB'")
    inputs = read_inputs(settings)
    journal = Journal(settings.ledger_dir / JOURNAL)
    asking = Asking(
        settings.threads,
        # Photos may come out of an archive.
        Path(inputs.photos) if inputs and inputs.photos else photo_folder(settings),
        budget=Budget(
            settings.max_cost, paid_so_far(settings) if settings.max_cost else None, journal.record
        ),
        stand_ins=load_profile(EMBEDDED) if settings.dry_run else None,
    )
    for name, function in functions(profile).items():
        register(connection, name, function, asking, journal.write)


def configure_cursor(cursor: DuckDBPyConnection, settings: Settings, profile: Profile) -> None:
    """What a new cursor lacks: the axis order of points and the variable `build`."""
    cursor.execute("set geometry_always_xy = true")
    set_variables(
        cursor, variables(settings) | {"paid_functions": ",".join(paid_functions(profile))}
    )


def set_variables(cursor: DuckDBPyConnection, named: dict[str, str]) -> None:
    """Make getvariable('build')['name'] the value of each name.

    One variable that holds them all: dbt opens a cursor for each model and test, and each statement
    costs as much as a small query.
    """
    fields = ", ".join(f"{_literal(name)}: {_literal(value)}" for name, value in named.items())
    cursor.execute(f"set variable build = {{{fields}}}")


def variables(settings: Settings) -> dict[str, str]:
    """What models read: the salt, and of each input file its path, the lines left out, its hash.

    Paths are absolute, and an absent file is replaced by an empty one. Before the inputs were
    described, the files of the data folder are read as they are, and have no fingerprint. Paths of
    files that people write are patterns: DuckDB reads `[`, `*` and `?` in a path as wildcards.
    """
    inputs = read_inputs(settings)
    nothing = str(_empty_file(settings, "nothing"))
    described = {file.name: file for file in inputs.files} if inputs else {}
    values = {
        "user_salt": settings.salt,
        "nothing": nothing,
        "input_files": str(settings.descriptions_path) if inputs else nothing,
        "photo_folder": (inputs and inputs.photos) or "",
        "photo_files": inputs.photo_listing if inputs else nothing,
    }
    for name, paths in written_files(settings).items():
        values[f"input_{name}"] = _pattern(paths[0]) if paths else nothing
        if len(paths) > 1:
            values[f"input_{name}"] = f"{_pattern(paths[0].parent)}/*{paths[0].suffix}"
    for name, path in input_files(settings).items():
        file = described.get(name)
        values[f"input_{name}"] = file.path if file else str(path or _empty_file(settings, name))
        values[f"skipped_{name}"] = (file.skipped if file else None) or nothing
        values[f"fingerprint_{name}"] = file.sha256 if file else ""
    for name in ("fields", "features", "visible", "sentences"):
        values[f"truth_{name}"] = str(_truth_file(settings, name))
    return values | {"ledger": ledger_pattern(settings)}


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
            connection.execute(f"load {_literal(str(file))}")
            return
    connection.execute(f"install {name}")
    connection.execute(f"load {name}")


def _pattern(path: Path) -> str:
    """The pattern that matches this path and no other."""
    return glob.escape(str(path))


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _truth_file(settings: Settings, name: str) -> Path:
    path = settings.truth_dir / f"{name}.jsonl" if settings.truth_dir else None
    return path if path and path.is_file() else _empty_file(settings, f"truth_{name}")


def _empty_file(settings: Settings, name: str) -> Path:
    path = settings.empty_dir / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path
