"""The assets of the dbt project: every seed, model and test, in one dbt run."""

from collections.abc import Iterator, Mapping
from typing import Any

import dagster as dg
from dagster_dbt import dbt_assets
from dagster_dbt.asset_utils import get_subset_selection_for_context
from dagster_dbt.core.dbt_cli_event import DbtCoreCliEventMessage

from dagster_defs.assets.translator import Translator
from dagster_defs.assets.writing import writing
from dagster_defs.terminal.progress import Progress
from dagster_defs.warehouse.dbt import run_dbt
from udfs.warehouse.settings import Settings

# dbt's unit tests belong to `make test`. The manifest is written by parsing alone.
BUILD_COMMAND = ["--no-write-json", "build", "--exclude-resource-type", "unit_test"]


def define_tables(
    settings: Settings, manifest: Mapping[str, Any], translator: Translator
) -> dg.AssetsDefinition:
    """All tables of the warehouse, and the checks of them."""

    @dbt_assets(manifest=manifest, dagster_dbt_translator=translator, name="warehouse_tables")
    def warehouse_tables(context: dg.AssetExecutionContext) -> Iterator[Any]:
        """Every seed, model and test of the dbt project, in one dbt run."""
        selection, indirect = get_subset_selection_for_context(
            context=context,
            manifest=manifest,
            select=None,
            exclude=None,
            selector=None,
            dagster_dbt_translator=translator,
            current_dbt_indirect_selection_env=None,
        )
        if indirect:
            selection += ["--indirect-selection", indirect]
        progress = Progress(manifest)
        with writing(settings):
            for event in run_dbt(settings, [*BUILD_COMMAND, *selection], progress.wait):
                progress.show(event)
                yield from DbtCoreCliEventMessage(event, {}).to_default_asset_events(
                    manifest=manifest, dagster_dbt_translator=translator, context=context
                )
        progress.finish()

    return warehouse_tables
