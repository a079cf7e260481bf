"""Settings of a build: read once from the environment, checked, then passed around as one value.

Each setting is declared once, as a field of `Settings`: its name, type, bounds, default and what it
is for. Reading, writing, the sentence for a wrong value and `.env.example` follow from that.
"""

from __future__ import annotations

import os
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, ValidationInfo
from pydantic.fields import FieldInfo
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from udfs.warehouse.cost_limit import CostLimit, read_cost_limit
from udfs.warehouse.environment import read_variables
from udfs.warehouse.errors import UserError
from udfs.warehouse.places import PROFILE_FOLDER, REPO, Places

PREFIX = "HETERQA_"
PROFILE_SUFFIXES = (".yml", ".yaml")


def _absolute(path: Path, field: ValidationInfo) -> Path:
    """The path without `~` and `..`, of a file that may be missing.

    Raises UserError for a path at which no file can be looked for.
    """
    try:
        absolute = Path(os.path.normpath(path.expanduser().absolute()))
        absolute.exists()
    except (RuntimeError, OSError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UserError(
            f"{variable(str(field.field_name))}: {str(path)[:100]} cannot be looked for "
            f"({str(reason).lower().rstrip('.')}); give another path"
        ) from None
    return absolute


def _warehouse(path: Path) -> Path:
    # dbt reads the path of a database as a URL.
    if wrong := next((sign for sign in "?#" if sign in str(path)), None):
        raise UserError(
            f"HETERQA_WAREHOUSE: {path} holds a '{wrong}'; give a folder whose path holds none"
        )
    return path


def _profile(text: str, field: ValidationInfo) -> str:
    """A name as it is; a path absolute, so that it means the same file in every process."""
    if text.endswith(PROFILE_SUFFIXES):
        return str(_absolute(Path(text), field))
    return text


def _memory_gb() -> int:
    """So that a whole build stays under 8 GB."""
    physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(6, int(physical * 0.8 / 1e9)))


# As Python reads one: pydantic takes "7.0" too.
WholeNumber = Annotated[int, BeforeValidator(int)]
AbsolutePath = Annotated[Path, AfterValidator(_absolute)]
# A target of the Makefile sets these variables, and no user: `.env.example` leaves them out.
OF_MAKEFILE: dict[str, Any] = {"is_of_makefile": True}


class Settings(BaseSettings, Places):
    """Where a build reads and writes, and the few numbers that shape it. All paths are absolute.

    The variable of a field is its name in capitals after `HETERQA_`.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, enable_decoding=False, validate_default=False, frozen=True
    )

    warehouse: Annotated[AbsolutePath, AfterValidator(_warehouse)] = Field(
        REPO / "warehouse",
        description="Folder of everything that a build writes. "
        "Default: warehouse, in this repository.",
    )
    data: AbsolutePath = Field(
        default_factory=lambda values: values["warehouse"] / "sample_city",
        description="Folder of the collection, in the layout of the Yelp Open Dataset. "
        "Default: the sample city, which is generated in <warehouse>/sample_city.",
    )
    fields: AbsolutePath | None = Field(
        None,
        description="Field catalogue of the collection, a CSV (docs/new-collection.md). "
        "Default: field_catalog.csv in the folder of the collection, if it is there.",
    )
    release: AbsolutePath | None = Field(
        None,
        description="Folder of a release, the official one or one that a build wrote: evaluate its "
        "questions instead of constructing some. Holds data/queries.jsonl, data/answers.jsonl and "
        "data/qrels/test.tsv.",
    )
    profile: Annotated[str, AfterValidator(_profile)] = Field(
        "embedded",
        description="Model profile: a name in udfs/profiles, or the path of a .yml file.",
    )
    quotas: AbsolutePath | None = Field(
        None,
        description="Quotas of your own: a CSV with the columns subset and questions, such as "
        '"S+T,I",12. Subsets that it does not name get no slots.',
    )
    questions: Annotated[WholeNumber, Field(ge=1, le=100_000)] | None = Field(
        None,
        examples=[100],
        description="Question slots to fill, spread over the ten subsets. "
        "Default: 100, or the sum of your own quotas.",
    )
    seed: WholeNumber = Field(
        7, ge=0, description="Seed of every draw. The sample city has its own, fixed one."
    )
    salt: str = Field(
        "heterqa",
        description="Salt of the hashes that stand for user ids. A secret of your own keeps "
        "everybody from finding out whose they are; the default keeps only those from it who lack "
        "the collection.",
    )
    threads: WholeNumber = Field(
        default_factory=lambda: os.cpu_count() or 1,
        ge=1,
        le=256,
        description="Threads of DuckDB and of the models. Default: the number of cores. "
        "Results do not depend on it.",
    )
    memory_gb: WholeNumber = Field(
        default_factory=_memory_gb,
        ge=1,
        le=10_000,
        description="Memory that DuckDB may use, in GB; what does not fit goes to disk. The models "
        "need up to 2 GB more. Default: 6, or 80 % of what the machine has where that is less.",
    )
    port: WholeNumber = Field(
        3000, ge=1, le=65_535, description="Port of `make dev`, on 127.0.0.1."
    )
    max_cost: Annotated[CostLimit | None, BeforeValidator(read_cost_limit)] = Field(
        None,
        description="The most that a warehouse may pay for models behind an endpoint, in US "
        "dollars (2.50) or in tokens (500000 tokens), over all its builds; empty for no limit. "
        "A build stops before it is passed.",
    )
    retry_unresolved: bool = Field(
        False,
        description="Ask the unresolved requests again (`make retry-unresolved`).",
        json_schema_extra=OF_MAKEFILE,
    )
    dry_run: bool = Field(
        False,
        description="Let the embedded models stand in for endpoints, and count (`make estimate`).",
        json_schema_extra=OF_MAKEFILE,
    )

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        *_: PydanticBaseSettingsSource,
        **__: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """No variable is read but by `from_env`."""
        return (init_settings,)

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Read the HETERQA_* variables; an empty one counts as absent.

        Without `environ` the process environment is read, and `.env` in the repository for what is
        not set there. Raises UserError for a value that cannot be used.
        """
        source = EnvSettingsSource(cls)
        variables = read_variables(PREFIX, environ)
        source.env_vars = {name.lower(): text for name, text in variables.items()}
        try:
            return cls(**source())
        except ValidationError as error:
            raise UserError(_sentence(error)) from None

    def to_env(self) -> dict[str, str]:
        """The same settings as variables with absolute paths, for dbt and other processes."""
        return {variable(name): _text(getattr(self, name)) for name in Settings.model_fields}

    @property
    def is_sample_city(self) -> bool:
        """True when the records are the generated sample city, not a collection of the user's."""
        return self.data == self.sample_city_dir

    @property
    def truth_dir(self) -> Path | None:
        """Folder of the planted truth; None for a collection that has none."""
        return self.planted_truth_dir if self.is_sample_city else None

    @property
    def profile_path(self) -> Path:
        """The YAML file of the model profile. Raises UserError when there is none."""
        if self.profile.endswith(PROFILE_SUFFIXES):
            path = Path(self.profile)
            if path.is_file():
                return path
            raise UserError(f"HETERQA_PROFILE: there is no file {path}; give the path of a profile")

        known = {file.stem: file for file in sorted(PROFILE_FOLDER.glob("*.yml"))}
        if self.profile in known:
            return known[self.profile]
        raise UserError(
            f"HETERQA_PROFILE: there is no profile '{self.profile}'; "
            f"use one of {', '.join(known) or '(none installed)'}, or the path of a .yml file"
        )


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return PREFIX + name.upper()


def user_settings() -> dict[str, FieldInfo]:
    """The declarations of the settings that are the user's to choose, by name."""
    return {
        name: field
        for name, field in Settings.model_fields.items()
        if field.json_schema_extra != OF_MAKEFILE
    }


def example_file() -> str:
    """`.env.example`: each setting with what it is for, and its default unless it is computed."""
    head = (
        "# Copy to .env and change what you need. Variables that are set in the shell win over "
        "this file.\n# Written from udfs/warehouse/settings.py: `make .env.example`.\n"
    )
    entries = []
    for name, field in user_settings().items():
        comment = textwrap.wrap(
            field.description or "", 100, initial_indent="# ", subsequent_indent="# "
        )
        default = field.default if isinstance(field.default, str | int) else ""
        entries.append("\n".join((*comment, f"{variable(name)}={default}\n")))
    return "\n".join((head, *entries))


def settings_help() -> str:
    """Each setting with what it is for, in two columns, for `--help`."""
    lines = []
    for name, field in user_settings().items():
        first, *rest = textwrap.wrap(field.description or "", 78)
        lines += [f"  {variable(name):<18} {first}", *(f"{'':<21}{line}" for line in rest)]
    return "\n".join(lines)


def _text(value: object) -> str:
    if value is None:
        return ""
    return str(int(value) if isinstance(value, bool) else value)


def _sentence(error: ValidationError) -> str:
    """The first value that cannot be used: which variable, why, and one that can."""
    fault = error.errors()[0]
    name, value, context = str(fault["loc"][0]), fault["input"], fault.get("ctx", {})
    field = Settings.model_fields[name]
    default = field.get_default(call_default_factory=True, validated_data={})
    if field.examples:
        default = field.examples[0]
    reason = {
        "greater_than_equal": f"{value} is too small; the least is {context.get('ge')}",
        "less_than_equal": f"{value} is too large; the most is {context.get('le')}",
        "bool_parsing": f"'{value}' is neither 0 nor 1; try {_text(default)}",
    }.get(fault["type"], f"'{value}' is not a whole number; try {_text(default)}")
    return f"{variable(name)}: {reason}"


if __name__ == "__main__":
    print(example_file(), end="")
