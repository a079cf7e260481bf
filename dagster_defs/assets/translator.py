"""How dbt's nodes become assets: their keys, their groups, and what they wait for."""

from collections.abc import Mapping
from typing import Any

import dagster as dg
from dagster_dbt import DagsterDbtTranslator, DagsterDbtTranslatorSettings, DbtProject

INPUT_FILES = dg.AssetKey("input_files")
IMPORTED = dg.AssetKey("imported_release")


class Translator(DagsterDbtTranslator):
    """Keys and groups are schemas; a model that reads no other one waits for the asset `first`."""

    def __init__(self, first: dg.AssetKey) -> None:
        super().__init__(DagsterDbtTranslatorSettings(enable_duplicate_source_asset_keys=True))
        self.first = first

    def get_asset_key(self, dbt_resource_props: Mapping[str, Any]) -> dg.AssetKey:
        if dbt_resource_props["resource_type"] == "source":
            return INPUT_FILES
        return dg.AssetKey([dbt_resource_props["schema"], dbt_resource_props["name"]])

    def get_group_name(self, dbt_resource_props: Mapping[str, Any]) -> str:
        return dbt_resource_props["schema"]

    def get_asset_spec(
        self, manifest: Mapping[str, Any], unique_id: str, project: DbtProject | None
    ) -> dg.AssetSpec:
        spec = super().get_asset_spec(manifest, unique_id, project)
        parents = manifest["parent_map"][unique_id]
        if unique_id.startswith("model.") and all(name.startswith("seed.") for name in parents):
            return spec.replace_attributes(deps=[*spec.deps, self.first])
        return spec
