"""Models and macros as plain SQL, so that a test can run them on tables of its own without dbt."""

from pathlib import Path
from typing import Any

import jinja2
import yaml

ROOT = Path(__file__).parent.parent
MACROS = ("words", "rank_fusion", "question_metrics")


def environment(**variables: Any) -> jinja2.Environment:
    """Jinja in which `ref` is the table of that name and a var not given is the project's."""
    project = yaml.safe_load((ROOT / "dbt_project/dbt_project.yml").read_text(encoding="utf-8"))
    jinja = jinja2.Environment(undefined=jinja2.StrictUndefined)
    jinja.globals["ref"] = lambda name: name
    jinja.globals["var"] = (project["vars"] | variables).__getitem__
    for name in MACROS:
        source = (ROOT / "macros" / f"{name}.sql").read_text(encoding="utf-8")
        jinja.globals[name] = getattr(jinja.from_string(source).module, name)
    return jinja


def model(path: str, **variables: Any) -> str:
    """The SQL of the model at `models/<path>.sql`."""
    source = (ROOT / "models" / f"{path}.sql").read_text(encoding="utf-8")
    return environment(**variables).from_string(source).render()


def macro(name: str, *arguments: str, **variables: Any) -> str:
    """The SQL of one macro call."""
    sql: str = environment(**variables).globals[name](*arguments)  # type: ignore[operator]
    return sql
