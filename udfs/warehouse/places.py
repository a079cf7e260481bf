"""Where files are: the folders of this repository, and every path below the warehouse."""

from __future__ import annotations

from pathlib import Path

REPO = Path(__file__).resolve().parents[2]
PROFILE_FOLDER = REPO / "udfs" / "profiles"


class Places:
    """The paths below a warehouse, the folder of everything that a build writes."""

    warehouse: Path

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
        """The file that a build locks, and writes its process id to."""
        return self.warehouse / "build.lock"

    @property
    def release_dir(self) -> Path:
        """The exported release."""
        return self.warehouse / "release"

    @property
    def runs_dir(self) -> Path:
        """The exported runs, one TREC file a run."""
        return self.warehouse / "runs"

    @property
    def decisions_dir(self) -> Path:
        """What people decided, in JSON lines."""
        return self.warehouse / "decisions"

    @property
    def sample_city_dir(self) -> Path:
        """The generated collection."""
        return self.warehouse / "sample_city"

    @property
    def planted_truth_dir(self) -> Path:
        """The truth that is planted in the sample city."""
        return self.warehouse / "truth"

    @property
    def replaced_folders(self) -> list[Path]:
        """Folders that a build replaces as a whole."""
        return [self.release_dir, self.runs_dir, self.sample_city_dir, self.planted_truth_dir]

    @property
    def ledger_dir(self) -> Path:
        """Folder of paid answers on their way into the warehouse: the journal and imports."""
        return self.warehouse / "ledger"

    @property
    def estimate_dir(self) -> Path:
        """The copy of the warehouse that an estimate works in, and removes."""
        return self.warehouse / "estimate"

    @property
    def empty_dir(self) -> Path:
        """Folder of the empty files that stand in for absent optional ones."""
        return self.warehouse / "empty"

    @property
    def inputs_dir(self) -> Path:
        """Folder of the files taken out of archives, and of copies without unreadable lines."""
        return self.warehouse / "inputs"

    @property
    def descriptions_path(self) -> Path:
        """Name, size and hash of each input file, as the last build read it."""
        return self.warehouse / "input_files.json"

    @property
    def recovery_plot_path(self) -> Path:
        """The chart of the recovery audit."""
        return self.warehouse / "recovery_audit.svg"

    @property
    def record_points_path(self) -> Path:
        """The records on the globe as GeoParquet."""
        return self.warehouse / "record_points.parquet"

    @property
    def report_path(self) -> Path:
        """The report of the last build."""
        return self.warehouse / "report.html"

    @property
    def dagster_home(self) -> Path:
        """Dagster's own folder: its runs, events and settings."""
        return self.warehouse / "dagster"

    @property
    def dbt_target_dir(self) -> Path:
        """dbt's own folder: the manifest, the cached parse, the compiled SQL."""
        return self.warehouse / "dbt_target"
