"""Which models are loaded, shared and refused: a refusal is one sentence with role and key."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import tiny_models
from tests.support.encoders import TEXTS, cross_encoder, text_encoder, values
from udfs.encoders import loading
from udfs.encoders.running import embed_texts, score_pairs
from udfs.warehouse.errors import UserError
from udfs.warehouse.places import REPO


def spoil(model: Path, target: Path, remove: str) -> Path:
    """A copy of a model without the weights of that name."""
    from safetensors.torch import load_file, save_file

    shutil.copytree(model, target)
    weights = load_file(target / "model.safetensors")
    kept = {name: weight for name, weight in weights.items() if remove not in name}
    assert len(kept) < len(weights)
    save_file(kept, target / "model.safetensors", metadata={"format": "pt"})
    return target


def test_a_model_without_some_of_its_weights_is_refused(folder, tmp_path):
    """transformers warns, and answers at random."""
    spoiled = spoil(folder("bert"), tmp_path / "spoiled", "layer.1.output.dense.weight")
    with pytest.raises(UserError, match=r"^text_embedder: .* lacks weights \(encoder.layer.1"):
        embed_texts(["a"], "document", text_encoder(spoiled), threads=1)
    headless = spoil(folder("cross_encoder"), tmp_path / "headless", "classifier")
    with pytest.raises(UserError, match=r"^reranker: .* lacks weights \(classifier"):
        score_pairs([("a", "b")], cross_encoder(headless), threads=1)


def test_a_pooler_that_is_not_used_may_be_missing(folder, tmp_path):
    spoiled = spoil(folder("bert"), tmp_path / "no pooler", "pooler")
    found = values(embed_texts(TEXTS, "document", text_encoder(spoiled), threads=1))
    expected = values(embed_texts(TEXTS, "document", text_encoder(folder("bert")), threads=1))
    assert (found == expected).all()


def refusals() -> list[tuple[dict[str, Any], str]]:
    return [
        ({"dimensions": 17}, "has 16 dimensions, the profile says 17; correct `dimensions`"),
        ({"max_tokens": 4096}, "reads 128 tokens at most, the profile says 4096; lower `max_tok"),
        ({"query_model": "./none"}, "there is no such folder"),
        ({"revision": "main"}, "is a folder and has no revision; remove `revision`"),
    ]


@pytest.mark.parametrize(("changes", "message"), refusals())
def test_what_the_model_cannot_do_is_said(folder, monkeypatch, changes, message):
    # A relative path, which the profile cannot tell from a name on a hub.
    monkeypatch.chdir(folder("bert").parent)
    parameters = text_encoder(Path("bert"), **changes)
    with pytest.raises(UserError) as error:
        embed_texts(["a"], "query", parameters, threads=1)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_a_folder_that_holds_no_model_names_role_and_key(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "no such"}))
    with pytest.raises(UserError, match=r"^text_embedder: .* correct `model` in the profile"):
        embed_texts(["a"], "document", text_encoder(tmp_path), threads=1)
    twice = text_encoder(tmp_path, query_model=str(tmp_path))
    with pytest.raises(UserError, match=r"^text_embedder: .* correct `query_model` in the profile"):
        embed_texts(["a"], "query", twice, threads=1)


def test_a_model_that_was_fetched_once_is_used_without_the_network(folder, tmp_path):
    kept = tmp_path / "hub" / "models--someone--tiny"
    shutil.copytree(folder("qwen3_embedding"), kept / "snapshots" / ("0" * 40))
    (kept / "refs").mkdir()
    (kept / "refs" / "main").write_text("0" * 40)
    code = (
        "import socket\n"
        "def refuse(*_): raise SystemExit('the network was asked')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n"
        "from udfs.encoders.running import embed_texts\n"
        "from udfs.profiles.parameters import TextEncoder\n"
        "keys = {'backend': 'sentence_transformers', 'model': 'someone/tiny'}\n"
        "model = TextEncoder(**keys, dimensions=16, max_tokens=64)\n"
        "print(embed_texts(['a'], 'query', model, 1)[0].value)"
    )
    environ = os.environ | {"HF_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=REPO, env=environ
    )
    assert done.returncode == 0, done.stderr[-2000:]
    same = embed_texts(["a"], "query", text_encoder(folder("qwen3_embedding")), threads=1)[0]
    assert json.loads(done.stdout.splitlines()[-1]) == same.value


def test_a_model_that_gives_several_scores_is_refused(tmp_path):
    three = tiny_models.cross_encoder(tmp_path / "three", labels=3)
    with pytest.raises(UserError, match=r"^reranker: .* gives 3 scores a pair"):
        score_pairs([("a", "b")], cross_encoder(three), threads=1)


def test_code_that_comes_with_a_model_is_not_run(folder, tmp_path):
    shutil.copytree(folder("bert"), tmp_path / "model")
    config = json.loads((tmp_path / "model" / "config.json").read_text())
    config |= {
        "model_type": "evil",
        "auto_map": {"AutoConfig": "evil.Config", "AutoModel": "evil.M"},
    }
    tiny_models.write(tmp_path / "model" / "config.json", config)
    ran = tmp_path / "ran"
    (tmp_path / "model" / "evil.py").write_text(f"open({str(ran)!r}, 'w')")
    with pytest.raises(UserError, match="trust_remote_code"):
        embed_texts(["a"], "document", text_encoder(tmp_path / "model"), threads=1)
    assert not ran.exists()


def test_models_are_shared_by_parameters_that_agree_in_the_model(folder):
    one = loading.embedder(text_encoder(folder("clip")), "query", "text_embedder")
    shorter = text_encoder(folder("clip"), dimensions=8)
    assert loading.embedder(shorter, "query", "text_embedder") is one
    cut = loading.embedder(text_encoder(folder("clip"), max_tokens=32), "query", "text_embedder")
    assert cut.model is not one.model
