"""Settings of a build: read once from the environment, checked, then passed around as one value."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Literal, NamedTuple

from dotenv import dotenv_values

REPO = Path(__file__).resolve().parents[2]
PROFILE_FOLDER = REPO / "udfs" / "profiles"
PROFILE_SUFFIXES = (".yml", ".yaml")

REQUIRED_FILES = ("business", "review", "tip", "user", "photos")
OPTIONAL_FILES = ("checkin",)
# Variables that the targets of the Makefile set, and no user.
OWN_VARIABLES = frozenset(("HETERQA_RETRY_UNRESOLVED", "HETERQA_DRY_RUN"))
RELEASE_FILES = {
    "release_queries": "data/queries.jsonl",
    "release_answers": "data/answers.jsonl",
    "release_qrels": "data/qrels/test.tsv",
}
ARCHIVE_SUFFIXES = (".tar", ".tgz", ".tar.gz")
# Hides user ids from who has no copy of the collection; a secret of one's own hides them from all.
DEFAULT_SALT = "heterqa"


class UserError(Exception):
    """One sentence for the user: what is wrong (file, line or setting) and what to do about it."""


class CostLimit(NamedTuple):
    """The most that a warehouse may pay for its models."""

    amount: float
    unit: Literal["dollars", "tokens"]

    def __str__(self) -> str:
        """As `HETERQA_MAX_COST` gives it."""
        tokens = self.unit == "tokens"
        return f"{self.amount:.0f} tokens" if tokens else f"{self.amount!r}"

    def say(self, amount: float) -> str:
        """An amount in this unit, for people."""
        return f"{amount:,.0f} tokens" if self.unit == "tokens" else f"${amount:,.4f}"


@dataclass(frozen=True)
class Settings:
    """Where a build reads and writes, and the few numbers that shape it. All paths are absolute."""

    warehouse: Path
    data: Path
    profile: str
    questions: int
    seed: int
    threads: int
    memory_gb: int
    max_cost: CostLimit | None = None
    fields: Path | None = None
    # Ask again what has no answer (`make retry-unresolved`).
    retry_unresolved: bool = False
    # Let the embedded models stand in for endpoints, and count (`make estimate`).
    is_dry_run: bool = False
    release: Path | None = None
    salt: str = DEFAULT_SALT
    quotas: Path | None = None

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Read the HETERQA_* variables; an empty one counts as absent.

        Without `environ` the process environment is read, and `.env` in the repository for what is
        not set there. Raises UserError for a value that cannot be used.
        """
        from udfs.warehouse.quotas import read_quotas

        if environ is None:
            from_file = {k: v for k, v in dotenv_values(REPO / ".env").items() if v is not None}
            environ = from_file | dict(os.environ)

        warehouse = _folder(environ, "HETERQA_WAREHOUSE", REPO / "warehouse")
        quotas = _path(environ, "HETERQA_QUOTAS")
        slots = sum(read_quotas(quotas).values()) if quotas else 100
        return cls(
            warehouse=warehouse,
            data=_folder(environ, "HETERQA_DATA", warehouse / "sample_city"),
            profile=_profile(environ.get("HETERQA_PROFILE", "").strip() or "embedded"),
            questions=_integer(environ, "HETERQA_QUESTIONS", slots, 1, 100_000),
            seed=_integer(environ, "HETERQA_SEED", 7, 0),
            threads=_integer(environ, "HETERQA_THREADS", os.cpu_count() or 1, 1, 256),
            memory_gb=_integer(environ, "HETERQA_MEMORY_GB", _default_memory_gb(), 1, 10_000),
            max_cost=_cost_limit(environ, "HETERQA_MAX_COST"),
            fields=_path(environ, "HETERQA_FIELDS"),
            retry_unresolved=_integer(environ, "HETERQA_RETRY_UNRESOLVED", 0, 0, 1) == 1,
            is_dry_run=_integer(environ, "HETERQA_DRY_RUN", 0, 0, 1) == 1,
            release=_path(environ, "HETERQA_RELEASE"),
            salt=environ.get("HETERQA_SALT", "").strip() or DEFAULT_SALT,
            quotas=quotas,
        )

    def to_env(self) -> dict[str, str]:
        """The same settings as variables with absolute paths, for dbt and other processes."""
        return {
            "HETERQA_WAREHOUSE": str(self.warehouse),
            "HETERQA_DATA": str(self.data),
            "HETERQA_PROFILE": self.profile,
            "HETERQA_QUESTIONS": str(self.questions),
            "HETERQA_SEED": str(self.seed),
            "HETERQA_THREADS": str(self.threads),
            "HETERQA_MEMORY_GB": str(self.memory_gb),
            "HETERQA_MAX_COST": str(self.max_cost or ""),
            "HETERQA_FIELDS": str(self.fields or ""),
            "HETERQA_RETRY_UNRESOLVED": str(int(self.retry_unresolved)),
            "HETERQA_DRY_RUN": str(int(self.is_dry_run)),
            "HETERQA_RELEASE": str(self.release or ""),
            "HETERQA_SALT": self.salt,
            "HETERQA_QUOTAS": str(self.quotas or ""),
        }

    @property
    def is_sample_city(self) -> bool:
        """True when the records are the generated sample city, not a collection of the user's."""
        return self.data == self.sample_city_dir

    @property
    def sample_city_dir(self) -> Path:
        return self.warehouse / "sample_city"

    @property
    def truth_dir(self) -> Path | None:
        """Folder of the planted truth; None for a collection that has none."""
        return self.warehouse / "truth" if self.is_sample_city else None

    @property
    def build_path(self) -> Path:
        """The DuckDB file that the build writes; locked while it does."""
        return self.warehouse / "build.duckdb"

    @property
    def published_path(self) -> Path:
        """The DuckDB file that everybody else reads."""
        return self.warehouse / "heterqa.duckdb"

    @property
    def lock_path(self) -> Path:
        return self.warehouse / "build.lock"

    @property
    def release_dir(self) -> Path:
        return self.warehouse / "release"

    @property
    def runs_dir(self) -> Path:
        return self.warehouse / "runs"

    @property
    def decisions_dir(self) -> Path:
        return self.warehouse / "decisions"

    @property
    def replaced_folders(self) -> list[Path]:
        """Folders that a build replaces as a whole."""
        truth = self.warehouse / "truth"
        return [self.release_dir, self.runs_dir, self.sample_city_dir, truth]

    @property
    def ledger_dir(self) -> Path:
        """Folder of paid answers on their way into the warehouse: the journal and imports."""
        return self.warehouse / "ledger"

    @property
    def estimate_dir(self) -> Path:
        """The copy of the warehouse that an estimate works in, and removes."""
        return self.warehouse / "estimate"

    @property
    def photo_folder(self) -> Path:
        """The folder that holds the photo files."""
        return self.data / "photos"

    @property
    def empty_dir(self) -> Path:
        """Folder of the empty files that stand in for absent optional ones."""
        return self.warehouse / "empty"

    @property
    def inputs_dir(self) -> Path:
        """Folder of what is taken out of archives, and of copies that can be read."""
        return self.warehouse / "inputs"

    @property
    def descriptions_path(self) -> Path:
        """What the input files were when they were last read."""
        return self.warehouse / "input_files.json"

    @property
    def recovery_plot_path(self) -> Path:
        return self.warehouse / "recovery_audit.svg"

    @property
    def report_path(self) -> Path:
        return self.warehouse / "report.html"

    @property
    def dagster_home(self) -> Path:
        return self.warehouse / "dagster"

    @property
    def dbt_target_dir(self) -> Path:
        return self.warehouse / "dbt_target"

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

    @property
    def field_catalog_path(self) -> Path | None:
        """The collection's field catalogue: the one that is set, else the one beside its files.

        Raises UserError when the one that is set is not there.
        """
        if self.fields is None:
            beside = self.data / "field_catalog.csv"
            return beside if beside.is_file() else None
        if not self.fields.is_file():
            raise UserError(
                f"HETERQA_FIELDS: there is no file {self.fields}; "
                "give the path of a field catalogue in CSV, or unset it"
            )
        return self.fields

    @property
    def field_rules_path(self) -> Path:
        """The checked catalogue, as the models read it."""
        return self.warehouse / "field_rules.jsonl"

    def input_files(self) -> dict[str, Path | None]:
        """The path of each input file; None for one that is absent, or that an archive may hold.

        Raises UserError when the data folder or, without archives, a required file is missing.
        """
        present = self._present_files()
        found = {
            name: next((present[file] for file in file_names(name) if file in present), None)
            for name in (*REQUIRED_FILES, *OPTIONAL_FILES)
        }
        if not self.archives():
            self.require_files(name for name, path in found.items() if path is not None)
        return found

    def release_files(self) -> dict[str, Path]:
        """The path of each file of the release whose questions are evaluated; none without one.

        Each may be compressed, `.gz`. Raises UserError when the folder or a file is missing.
        """
        if self.release is None:
            return {}
        if not self.release.is_dir():
            raise UserError(
                f"HETERQA_RELEASE: there is no folder {self.release}; "
                "give the folder of a release, which holds data/queries.jsonl, or unset it"
            )
        files = {}
        for name, file in RELEASE_FILES.items():
            places = self.release / file, self.release / f"{file}.gz"
            found = [path for path in places if path.is_file()]
            if not found:
                raise UserError(
                    f"HETERQA_RELEASE: {self.release} lacks {file}; give the folder of a whole "
                    f"release: {', '.join(RELEASE_FILES.values())}"
                )
            files[name] = found[0]
        return files

    def archives(self) -> list[Path]:
        """The archives in the data folder, by name."""
        present = self._present_files()
        return [present[file] for file in sorted(present) if file.endswith(ARCHIVE_SUFFIXES)]

    def require_files(self, found: Iterable[str]) -> None:
        """Raises UserError that names the required files which are not among those found."""
        known = set(found)
        missing = [file_names(name)[0] for name in REQUIRED_FILES if name not in known]
        if missing:
            raise UserError(
                f"HETERQA_DATA: {self.data} lacks {', '.join(missing)}; add what is missing"
            )

    def _present_files(self) -> dict[str, Path]:
        if not self.data.exists():
            hint = (
                "run `make run`, which generates the sample city there"
                if self.is_sample_city
                else "point it at a folder in the layout of the Yelp Open Dataset, or unset it"
            )
            raise UserError(f"HETERQA_DATA: there is no folder {self.data}; {hint}")
        if not self.data.is_dir():
            raise UserError(
                f"HETERQA_DATA: {self.data} is a file; give the folder that holds the Yelp files"
            )
        # Listing the folder keeps the match case-sensitive on every file system.
        try:
            return {entry.name: entry for entry in self.data.iterdir() if entry.is_file()}
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise UserError(
                f"HETERQA_DATA: {self.data} cannot be read ({reason}); make it readable"
            ) from None


def file_names(name: str) -> tuple[str, ...]:
    """Accepted names of an input file, the preferred one first; each may be gzipped."""
    prefix = "yelp_academic_dataset_"
    plain = [f"{prefix}{name}.json", f"{name}.json"]
    if name == "photos":
        plain = ["photos.json", "photo.json", f"{prefix}photos.json", f"{prefix}photo.json"]
    return (*plain, *(f"{file}.gz" for file in plain))


def _profile(text: str) -> str:
    """A name as it is; a path absolute, so that it means the same file in every process."""
    if text.endswith(PROFILE_SUFFIXES):
        return str(Path(text).expanduser().absolute())
    return text


def _folder(environ: Mapping[str, str], variable: str, default: Path) -> Path:
    return _path(environ, variable) or default


def _path(environ: Mapping[str, str], variable: str) -> Path | None:
    text = environ.get(variable, "").strip()
    return Path(os.path.normpath(Path(text).expanduser().absolute())) if text else None


def _default_memory_gb() -> int:
    """So that a whole build stays under 8 GB."""
    physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return max(1, min(6, int(physical * 0.8 / 1e9)))


def _integer(
    environ: Mapping[str, str], variable: str, default: int, least: int, most: int | None = None
) -> int:
    text = environ.get(variable, "").strip()
    if not text:
        return default
    try:
        number = int(text)
    except ValueError:
        raise UserError(f"{variable}: '{text}' is not a whole number; try {default}") from None
    if number < least:
        raise UserError(f"{variable}: {number} is too small; the least is {least}")
    if most is not None and number > most:
        raise UserError(f"{variable}: {number} is too large; the most is {most}")
    return number


def _cost_limit(environ: Mapping[str, str], variable: str) -> CostLimit | None:
    """ "2.50" or "$2.50" is US dollars, "500000 tokens" is tokens; None when it is not set."""
    text = environ.get(variable, "").strip()
    if not text:
        return None
    number, _, unit = text.removeprefix("$").strip().partition(" ")
    try:
        amount = float(number)
    except ValueError:
        amount = -1.0
    is_tokens = unit.strip().lower() in ("token", "tokens") and not text.startswith("$")
    if (unit and not is_tokens) or not isfinite(amount) or amount < 0:
        raise UserError(
            f"{variable}: '{text}' is no limit; give US dollars (2.50) or tokens (500000 tokens)"
        )
    return CostLimit(amount, "tokens" if is_tokens else "dollars")
