"""What a profile may say of an encoder."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from tests.support.encoders import text_encoder
from udfs.profiles.parameters import CrossEncoder, Endpoint, TextEncoder
from udfs.warehouse.places import PROFILE_FOLDER


def test_the_paper_profile_is_in_the_keys_of_its_backends():
    roles = yaml.safe_load((PROFILE_FOLDER / "paper.yml").read_text(encoding="utf-8"))
    assert TextEncoder.model_validate(roles["text_embedder"]).dimensions == 4096
    assert CrossEncoder.model_validate(roles["reranker"]).batch > 1
    for role in ("judge", "photo_judge", "writer", "extractor"):
        url = roles[role].pop("base_url")
        assert url.startswith("${HETERQA_")
        endpoint = Endpoint.model_validate(roles[role])
        assert endpoint.api_key_env is None


@pytest.mark.parametrize(
    "changes",
    [
        {"device": "gpu"},
        {"dtype": "int8"},
        {"batch": 0},
        {"revision": "main", "model": "package:a/b"},
        {"prompt": "x"},
        {"dimensions": 0},
    ],
)
def test_keys_are_checked_when_the_profile_is_read(changes):
    good = text_encoder(Path("name")).model_dump()
    with pytest.raises(ValidationError):
        TextEncoder(**good | changes)
