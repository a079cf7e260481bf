"""Settings: defaults, empty values, paths, and the sentence for each value that cannot be used."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest
from dotenv import dotenv_values

from udfs.warehouse.collection import input_files
from udfs.warehouse.errors import UserError
from udfs.warehouse.places import PROFILE_FOLDER, REPO
from udfs.warehouse.settings import Settings, example_file, user_settings, variable

FILES = ("business", "review", "tip", "user")


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    folder = tmp_path / "collection"
    folder.mkdir()
    for name in FILES:
        (folder / f"yelp_academic_dataset_{name}.json").touch()
    (folder / "photos.json").touch()
    return folder


def test_defaults() -> None:
    settings = Settings.from_env({})
    assert settings.warehouse == REPO / "warehouse"
    assert settings.data == REPO / "warehouse" / "sample_city"
    assert settings.is_sample_city
    assert settings.truth_dir == REPO / "warehouse" / "truth"
    assert (settings.profile, settings.questions, settings.seed) == ("embedded", None, 7)
    assert settings.threads >= 1


def test_every_setting_is_in_the_example_file_with_its_default() -> None:
    text = (REPO / ".env.example").read_text(encoding="utf-8")
    assert text == example_file(), "run `make .env.example`"
    example = dotenv_values(stream=io.StringIO(text))
    assert set(example) == {variable(name) for name in user_settings()}
    assert Settings.from_env({k: v or "" for k, v in example.items()}) == Settings.from_env({})
    assert "HETERQA_RETRY_UNRESOLVED" not in example
    assert max(map(len, text.splitlines())) <= 100


def test_an_empty_value_counts_as_absent() -> None:
    assert Settings.from_env(dict.fromkeys(Settings.from_env({}).to_env(), " ")) == (
        Settings.from_env({})
    )


def test_a_variable_in_small_letters_is_not_ours() -> None:
    assert Settings.from_env({"heterqa_seed": "3", "HETERQA_SEED": "5"}).seed == 5
    assert Settings.from_env({"HETERQA_SEED": "5", "heterqa_seed": "3"}).seed == 5


def test_paths_become_absolute(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    settings = Settings.from_env(
        {"HETERQA_WAREHOUSE": "w/../wh", "HETERQA_DATA": "c", "HETERQA_PROFILE": "mine.yml"}
    )
    assert settings.warehouse == tmp_path / "wh"
    assert settings.data == tmp_path / "c"
    assert settings.profile == str(tmp_path / "mine.yml")
    assert Settings.from_env(settings.to_env()) == settings


def test_settings_are_the_same_in_another_process() -> None:
    chosen = {
        "HETERQA_MAX_COST": "500000 tokens",
        "HETERQA_RETRY_UNRESOLVED": "1",
        "HETERQA_RELEASE": "r",
        "HETERQA_QUESTIONS": "12",
        "HETERQA_SALT": "secret",
    }
    settings = Settings.from_env(chosen)
    assert settings.retry_unresolved and settings.questions == 12 and settings.salt == "secret"
    assert Settings.from_env(settings.to_env()) == settings


def test_own_data_has_no_truth(tmp_path: Path) -> None:
    settings = Settings.from_env({"HETERQA_DATA": str(tmp_path)})
    assert not settings.is_sample_city
    assert settings.truth_dir is None


def test_the_generated_folder_named_explicitly_is_still_the_sample_city(tmp_path: Path) -> None:
    settings = Settings.from_env(
        {"HETERQA_WAREHOUSE": str(tmp_path), "HETERQA_DATA": str(tmp_path / "sample_city")}
    )
    assert settings.truth_dir == tmp_path / "truth"


@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        ("HETERQA_QUESTIONS", "many", "HETERQA_QUESTIONS: 'many' is not a whole number; try 100"),
        ("HETERQA_QUESTIONS", "2.5", "HETERQA_QUESTIONS: '2.5' is not a whole number; try 100"),
        ("HETERQA_QUESTIONS", "0", "HETERQA_QUESTIONS: 0 is too small; the least is 1"),
        ("HETERQA_SEED", "7.0", "HETERQA_SEED: '7.0' is not a whole number; try 7"),
        ("HETERQA_SEED", "x", "HETERQA_SEED: 'x' is not a whole number; try 7"),
        ("HETERQA_SEED", "-3", "HETERQA_SEED: -3 is too small; the least is 0"),
        (
            "HETERQA_QUESTIONS",
            "100000000000",
            "HETERQA_QUESTIONS: 100000000000 is too large; the most is 100000",
        ),
        ("HETERQA_THREADS", "257", "HETERQA_THREADS: 257 is too large; the most is 256"),
        ("HETERQA_THREADS", "-1", "HETERQA_THREADS: -1 is too small; the least is 1"),
        ("HETERQA_PORT", "web", "HETERQA_PORT: 'web' is not a whole number; try 3000"),
        ("HETERQA_DRY_RUN", "2", "HETERQA_DRY_RUN: '2' is neither 0 nor 1; try 0"),
    ],
)
def test_a_wrong_number_is_named(variable: str, value: str, sentence: str) -> None:
    with pytest.raises(UserError) as error:
        Settings.from_env({variable: value})
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("variable", "value", "sentence"),
    [
        ("HETERQA_DATA", "~nobody_such/x", "HETERQA_DATA: ~nobody_such/x cannot be looked for"),
        ("HETERQA_PROFILE", "~nobody_such/x.yml", "HETERQA_PROFILE: ~nobody_such/x.yml cannot be"),
        ("HETERQA_QUOTAS", "/" + "x" * 5000, r"HETERQA_QUOTAS: /xxxxxx.* \(file name too long\)"),
        ("HETERQA_WAREHOUSE", "/" + "x" * 5000, "HETERQA_WAREHOUSE: /xxxxxx.* give another path"),
        ("HETERQA_WAREHOUSE", "wh #1", "HETERQA_WAREHOUSE: .*wh #1 holds a '#'; give a folder"),
        ("HETERQA_WAREHOUSE", "why?", r"HETERQA_WAREHOUSE: .*why\? holds a '\?'; give a folder"),
        ("HETERQA_DATA", "/tmp/\udcff", r"HETERQA_DATA: /tmp/\\udcff is not UTF-8"),
        ("HETERQA_SALT", "\udcff", r"HETERQA_SALT: \\udcff is not UTF-8"),
    ],
)
def test_a_path_that_cannot_be_used_is_named(variable: str, value: str, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        Settings.from_env({variable: value})


def test_a_file_of_settings_in_another_encoding_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("udfs.warehouse.environment.REPO", tmp_path)
    (tmp_path / ".env").write_bytes(b"HETERQA_SALT=caf\xe9\n")
    with pytest.raises(UserError, match=r"\.env: byte 17 is not UTF-8; save the file as UTF-8"):
        Settings.from_env()


def test_input_files(collection: Path) -> None:
    files = input_files(Settings.from_env({"HETERQA_DATA": str(collection)}))
    assert files["business"] == collection / "yelp_academic_dataset_business.json"
    assert files["photos"] == collection / "photos.json"
    assert files["checkin"] is None


def test_short_names_are_accepted_and_long_ones_preferred(collection: Path) -> None:
    (collection / "yelp_academic_dataset_tip.json").rename(collection / "tip.json")
    (collection / "review.json").touch()
    files = input_files(Settings.from_env({"HETERQA_DATA": str(collection)}))
    assert files["tip"] == collection / "tip.json"
    assert files["review"] == collection / "yelp_academic_dataset_review.json"


def test_missing_files_are_all_named(collection: Path) -> None:
    (collection / "yelp_academic_dataset_tip.json").rename(collection / "TIP.json")
    (collection / "photos.json").unlink()
    with pytest.raises(UserError, match=r"lacks yelp_academic_dataset_tip\.json, photos\.json"):
        input_files(Settings.from_env({"HETERQA_DATA": str(collection)}))


def test_a_missing_folder_and_a_file_are_told_apart(collection: Path) -> None:
    with pytest.raises(UserError, match="there is no folder"):
        input_files(Settings.from_env({"HETERQA_DATA": str(collection / "x")}))
    with pytest.raises(UserError, match="is a file"):
        input_files(Settings.from_env({"HETERQA_DATA": str(collection / "photos.json")}))


def test_profiles(tmp_path: Path) -> None:
    own = tmp_path / "own.yml"
    own.touch()
    assert Settings.from_env({"HETERQA_PROFILE": str(own)}).profile_path == own
    assert Settings.from_env({}).profile_path == PROFILE_FOLDER / "embedded.yml"
    for name in ("nope", "../profiles/embedded", str(tmp_path / "none.yml")):
        with pytest.raises(UserError, match="HETERQA_PROFILE: there is no"):
            _ = Settings.from_env({"HETERQA_PROFILE": name}).profile_path


def test_models_report_nothing(tmp_path: Path) -> None:
    script = "import udfs, onnxruntime"
    environment = {"HOME": str(tmp_path), "PYTHONPATH": str(REPO)}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True)
    assert list(tmp_path.rglob("*")) == []
