"""Models and macros as the SQL that dbt makes of them, so that a test can run them without dbt."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import duckdb
import jinja2
import yaml

REPO = Path(__file__).resolve().parents[2]


class MacroError(Exception):
    """What a macro says when it cannot go on."""


def render(
    text: str,
    environ: Mapping[str, str] | None = None,
    con: duckdb.DuckDBPyConnection | None = None,
    **variables: Any,
) -> str:
    """The SQL of a text with macro calls. `ref` is the table of that name.

    environ: environment variables that the macros may read; none of the process's own
    con: where run_query runs; without it the text is only compiled
    variables: dbt variables beside those of dbt_project.yml
    """
    jinja = _environment(environ or {}, variables)
    jinja.globals |= {"execute": con is not None, "load_relation": lambda table: table}
    if con is not None:
        jinja.globals["run_query"] = lambda sql: _run_query(con, sql)
    return jinja.from_string(text).render().strip()


def render_model(path: str, environ: Mapping[str, str] | None = None, **variables: Any) -> str:
    """The SQL of the model with this name."""
    return render(model_text(path), environ, **variables)


def model_text(path: str) -> str:
    """What the file of a model or audit holds; folders before the name tell equal names apart."""
    folders = (REPO / "models", REPO / "tests" / "audits")
    places = [file for folder in folders for file in folder.rglob(f"{Path(path).name}.sql")]
    (found,) = [file for file in places if file.as_posix().endswith(f"/{path}.sql")]
    return found.read_text(encoding="utf-8")


def render_pre_hook(path: str, **variables: Any) -> str | None:
    """The SQL that runs before the model with this name does, when its config says so."""
    text = model_text(path)
    settings: dict[str, Any] = {}
    jinja = _environment({}, variables)
    jinja.globals["config"] = settings.update
    jinja.from_string(text).render()
    hook = settings.get("pre_hook")
    return render(hook, **variables) if hook else None


def _run_query(con: duckdb.DuckDBPyConnection, sql: str) -> SimpleNamespace:
    return SimpleNamespace(rows=con.execute(sql).fetchall())


def _environment(environ: Mapping[str, str], variables: Mapping[str, Any]) -> jinja2.Environment:
    known = _project_vars() | dict(variables)
    jinja = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"],
    )
    jinja.globals |= {
        "ref": lambda name: name,
        "config": lambda **_: "",
        "var": lambda name, *default: known.get(name, *default) if default else known[name],
        "env_var": lambda name, default=None: environ.get(name, default),
        "modules": SimpleNamespace(re=re, datetime=datetime),
        "exceptions": SimpleNamespace(raise_compiler_error=_raise),
        "none": None,
    }
    templates: dict[str, str] = {}
    for file in sorted((REPO / "macros").rglob("*.sql")):
        text = file.read_text(encoding="utf-8")
        # Generic tests and materializations are dbt's own kinds of blocks.
        if not re.search(r"{%-?\s*(test|materialization)\b", text):
            templates |= dict.fromkeys(re.findall(r"{%-?\s*macro\s+(\w+)", text), text)
    # Macros call each other, so each must be known by name before any is made.
    jinja.globals |= {name: _late(jinja, name, text) for name, text in templates.items()}
    return jinja


def _late(jinja: jinja2.Environment, name: str, text: str) -> Any:
    def call(*arguments: Any, **named: Any) -> str:
        result: str = getattr(jinja.from_string(text).module, name)(*arguments, **named)
        return result

    return call


def _project_vars() -> dict[str, Any]:
    project = REPO / "dbt_project" / "dbt_project.yml"
    loaded: dict[str, Any] = yaml.safe_load(project.read_text(encoding="utf-8"))["vars"]
    return loaded


def _raise(message: str) -> NoReturn:
    raise MacroError(message)
