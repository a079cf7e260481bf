"""The connection: what it loads, its bounds, its variables and the cursors of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from tests.support.embedded import EMBEDDED, make_settings, one
from udfs.plugin import connect, load_extension, variables
from udfs.profiles.profile import load_profile
from udfs.warehouse.errors import UserError
from udfs.warehouse.places import REPO
from udfs.warehouse.settings import Settings


def test_importing_the_functions_loads_no_model():
    code = (
        "import sys; import udfs.plugin;"
        "heavy = {'torch', 'onnxruntime', 'sentence_transformers', 'transformers', 'tokenizers',"
        " 'openai', 'httpx'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=REPO, check=True
    )
    assert done.stdout.strip() == "[]"


def test_functions_and_axis_order_hold_on_cursors(connection, collection, tmp_path):
    from udfs.plugin import configure_cursor

    cursor = connection.cursor()
    configure_cursor(cursor, make_settings(collection, tmp_path), load_profile(EMBEDDED))
    sphere = "select st_distance_sphere(st_point(0, 60), st_point(1, 60))"
    assert one(cursor, sphere) == pytest.approx(55597, abs=1)
    assert one(cursor, "select model_signature('reranker', '')") == one(
        connection, "select model_signature('reranker', '')"
    )


def test_memory_is_bounded(collection, tmp_path):
    settings = make_settings(collection, tmp_path).model_copy(update={"memory_gb": 2})
    with connect(":memory:", settings) as bounded:
        assert one(bounded, "select current_setting('memory_limit')") == "1.8 GiB"


def test_variables_point_to_files_that_exist(connection, collection, tmp_path):
    settings = make_settings(collection, tmp_path)
    (settings.decisions_dir).mkdir()
    assert Path(variables(settings)["input_decisions"]).read_text() == ""
    for name in ("first", "second"):
        (settings.decisions_dir / f"{name}.jsonl").write_text("{}\n")
    values = variables(settings)
    assert values["input_decisions"] == str(settings.decisions_dir / "*.jsonl")
    assert values["input_tip"] == str(collection / "yelp_academic_dataset_tip.json")
    for name in ("input_checkin", "truth_fields"):
        assert Path(values[name]).read_text() == ""
    assert one(connection, "select getvariable('build')['input_review']") == str(
        collection / "yelp_academic_dataset_review.json"
    )
    assert (
        one(connection, "select count(*) from read_text(getvariable('build')['input_review'])") == 1
    )


def test_the_extension_loads_from_its_wheel_with_an_empty_home(tmp_path):
    connection = duckdb.connect(config={"extension_directory": str(tmp_path)})
    load_extension(connection, "spatial")
    assert one(connection, "select st_x(st_point(1, 2))") == 1
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_profile_lists_the_known_ones(collection, tmp_path):
    settings = Settings.from_env(
        {
            "HETERQA_DATA": str(collection),
            "HETERQA_WAREHOUSE": str(tmp_path),
            "HETERQA_PROFILE": "embeded",
        }
    )
    with pytest.raises(UserError, match="embedded"):
        connect(":memory:", settings)
