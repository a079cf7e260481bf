"""The assets after dbt: the published warehouse, and the files that are made from it."""

from collections.abc import Mapping
from typing import Any

import dagster as dg

from dagster_defs.assets.translator import INPUT_FILES, Translator
from dagster_defs.assets.writing import writing
from dagster_defs.outputs.publish import publish
from dagster_defs.outputs.record_points import write_record_points
from dagster_defs.outputs.release import draft_release, write_release
from dagster_defs.outputs.runs import write_runs
from dagster_defs.pages.recovery_plot import as_markdown, write_plot
from dagster_defs.pages.report import write_report
from dagster_defs.terminal.outcomes import require_questions
from dagster_defs.terminal.progress import say, short_path
from udfs.warehouse.journal import shorten_journal
from udfs.warehouse.settings import Settings

PUBLISHED = dg.AssetKey("published_warehouse")


def define_published(
    settings: Settings, manifest: Mapping[str, Any], translator: Translator
) -> list[dg.AssetsDefinition]:
    """The assets that a build of these settings ends with."""
    assets = [
        _published_warehouse(settings, manifest, translator),
        _run_files(settings),
        _report(settings),
        _record_points(settings),
    ]
    # An imported release is not written again, and the last one that was constructed stays.
    if not settings.release:
        assets += [_release_files(settings), _recovery_plot(settings)]
    return assets


def _published_warehouse(
    settings: Settings, manifest: Mapping[str, Any], translator: Translator
) -> dg.AssetsDefinition:
    @dg.asset(
        key=PUBLISHED,
        group_name="published",
        kinds={"duckdb"},
        deps=_last_models(manifest, translator),
    )
    def published_warehouse() -> dg.MaterializeResult[Any]:
        """heterqa.duckdb: the finished build, for everybody to read."""
        with writing(settings):
            if not settings.release:
                require_questions(settings)
                # A draft of the release comes first: a rule that it breaks stops publishing.
                draft_release(settings, settings.build_path)
            path = publish(settings, _tables_of_build(manifest))
            shorten_journal(settings)
        say(f"  published {short_path(path)}")
        return dg.MaterializeResult(
            metadata={"path": dg.MetadataValue.path(path), "bytes": path.stat().st_size}
        )

    return published_warehouse


def _release_files(settings: Settings) -> dg.AssetsDefinition:
    @dg.asset(group_name="published", kinds={"json"}, deps=[PUBLISHED, INPUT_FILES])
    def release_files() -> dg.MaterializeResult[Any]:
        """release/: the benchmark in the layout of the HeterQA release, checked."""
        with writing(settings):
            counts = write_release(settings)
        return dg.MaterializeResult(
            metadata={"folder": dg.MetadataValue.path(settings.release_dir), **counts}
        )

    return release_files


def _run_files(settings: Settings) -> dg.AssetsDefinition:
    @dg.asset(group_name="published", kinds={"file"}, deps=[PUBLISHED])
    def run_files() -> dg.MaterializeResult[Any]:
        """runs/: every run in the TREC format."""
        with writing(settings):
            lines = write_runs(settings)
        return dg.MaterializeResult(
            metadata={"folder": dg.MetadataValue.path(settings.runs_dir), **lines}
        )

    return run_files


def _report(settings: Settings) -> dg.AssetsDefinition:
    @dg.asset(group_name="published", kinds={"html"}, deps=[PUBLISHED])
    def report() -> dg.MaterializeResult[Any]:
        """report.html: leaderboard, funnel, questions with their answers, model calls."""
        with writing(settings):
            path = write_report(settings)
        return dg.MaterializeResult(metadata={"path": dg.MetadataValue.path(path)})

    return report


def _record_points(settings: Settings) -> dg.AssetsDefinition:
    # Not record_points: that is the model's.
    @dg.asset(group_name="published", kinds={"parquet"}, deps=[PUBLISHED])
    def record_points_file() -> dg.MaterializeResult[Any]:
        """record_points.parquet: the records on the globe as GeoParquet."""
        with writing(settings):
            rows = write_record_points(settings)
        return dg.MaterializeResult(
            metadata={
                "path": dg.MetadataValue.path(settings.record_points_path),
                "dagster/row_count": rows,
            }
        )

    return record_points_file


def _recovery_plot(settings: Settings) -> dg.AssetsDefinition:
    @dg.asset(group_name="published", kinds={"file"}, deps=[PUBLISHED])
    def recovery_plot() -> dg.MaterializeResult[Any]:
        """recovery_audit.svg: reliability and precision-recall of recovered values by field."""
        with writing(settings):
            path = write_plot(settings)
        picture = as_markdown(path.read_text(encoding="utf-8"))
        return dg.MaterializeResult(
            metadata={
                "path": dg.MetadataValue.path(path),
                "picture": dg.MetadataValue.md(picture),
            }
        )

    return recovery_plot


def _tables_of_build(manifest: Mapping[str, Any]) -> set[tuple[str, str]]:
    """Schema and name of each table that this build makes: of a model, a seed, or the ledger.

    build.duckdb may hold more: tables of models that are disabled now, or that have another schema
    or name since. The rows in these are an earlier build's.
    """
    made = [
        node for node in manifest["nodes"].values() if node["resource_type"] in ("model", "seed")
    ]
    return {(node["schema"], node["alias"]) for node in made} | {
        (source["schema"], source["identifier"]) for source in manifest["sources"].values()
    }


def _last_models(manifest: Mapping[str, Any], translator: Translator) -> list[dg.AssetKey]:
    """Models that no other model reads; every other model is upstream of one of these."""
    is_read = {
        parent
        for node in manifest["nodes"].values()
        if node["resource_type"] == "model"
        for parent in node["depends_on"]["nodes"]
    }
    return [
        translator.get_asset_key(node)
        for unique_id, node in manifest["nodes"].items()
        if node["resource_type"] == "model" and unique_id not in is_read
    ]
