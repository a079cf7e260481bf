"""What `dagster dev` loads: the definitions for the settings of the environment."""

from dagster_defs.assets import define
from udfs.settings import Settings

defs = define(Settings.from_env())
