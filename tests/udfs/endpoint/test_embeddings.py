"""Vectors of an endpoint."""

from __future__ import annotations

import pytest

from tests.support.quick_endpoint import endpoint
from udfs.contracts.usage import Usage
from udfs.endpoint.ask import ask_embeddings
from udfs.endpoint.budget import Budget
from udfs.warehouse.errors import UserError


def test_an_embedding_is_a_list_of_numbers_one_text_a_request(server):
    before = len(server.calls)
    texts = [("a", "good coffee"), ("b", "bad tea"), ("c", "good coffee")]
    first, second, third = ask_embeddings(texts, endpoint(server, dimensions=64))
    assert first.value == third.value != second.value
    assert len(first.value) == 64 and first.input_tokens > 0 and first.output_tokens == 0
    assert len(server.calls) - before == 3


def test_wrong_dimensions_are_a_setting(server):
    with pytest.raises(UserError, match=r"64.*384"):
        ask_embeddings([("a", "x")], endpoint(server, dimensions=384))


def test_an_embedding_that_fails_has_a_reason(server):
    answers = ask_embeddings(
        [("a", "fine"), ("b", "FAULT 500 always")], endpoint(server, model="embedder")
    )
    assert answers[0].error is None
    assert answers[1].value is None and answers[1].error.startswith("server error: ")


def test_a_request_that_cannot_be_written_is_its_own_failure(server):
    broken, fine = ask_embeddings([("a", "half a pair \ud800"), ("b", "x")], endpoint(server))
    assert broken.error.startswith("failed: UnicodeEncodeError")
    assert fine.error is None


def test_vectors_of_another_length_were_paid(server):
    written: list[Usage] = []
    with pytest.raises(UserError, match="dimensions"):
        budget = Budget(record=written.append)
        ask_embeddings([("a", "x")], endpoint(server, dimensions=384), budget=budget)
    assert sum(usage.input_tokens for usage in written) > 0
