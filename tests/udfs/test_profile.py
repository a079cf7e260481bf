"""Profile files: what is wrong is said with file, line and role."""

from __future__ import annotations

import re

import pytest

from tests.support.embedded import EMBEDDED, write_profile
from udfs.profiles.profile import load_profile
from udfs.warehouse.errors import UserError


@pytest.mark.parametrize(
    ("changes", "role", "reason"),
    [
        ({"judge__backend": "magic"}, "judge, backend", "there is no backend 'magic', it has"),
        ({"judge__yes_from": 2}, "judge, yes_from", "less than or equal to 1"),
        ({"judge__weights": {"bias": 1}}, "judge, weights.topic", "is missing"),
        ({"reranker__max_tokens": "many"}, "reranker, max_tokens", "integer"),
        ({"text_embedder": None}, "text_embedder", "valid"),
        ({"extractor__temperature": 1}, "extractor, temperature", "is no key of it"),
        ({"painter": {"backend": "rules"}}, "painter", "known roles are text_embedder"),
        ({"writer": {}}, "writer, backend", "is missing"),
    ],
)
def test_a_wrong_profile_says_where_and_what(tmp_path, changes, role, reason):
    path = write_profile(tmp_path, **changes)
    with pytest.raises(UserError) as error:
        load_profile(path)
    message = str(error.value)
    assert re.match(rf"{re.escape(str(path))}, line \d+: role {role}: ", message), message
    assert reason in message
    assert "\n" not in message


def test_the_line_of_a_fault_is_where_it_is_written(tmp_path):
    path = tmp_path / "mine.yml"
    lines = EMBEDDED.read_text(encoding="utf-8").splitlines()
    faulty = next(n for n, line in enumerate(lines) if line.strip().startswith("yes_from:"))
    lines[faulty] = "  yes_from: 3"
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(UserError, match=rf"mine.yml, line {faulty + 1}: role judge, yes_from: "):
        load_profile(path)

    # photo_judge takes over what judge says, and overrides a part.
    lines[faulty] = "  yes_from: 0.5"
    path.write_text("\n".join([*lines, "x-note: free", "# end"]), encoding="utf-8")
    load_profile(path)
    last = next(n for n, line in enumerate(lines) if line.strip() == "reads: caption")
    lines[last] = "  reads: tea leaves"
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(UserError, match=rf"line {last + 1}: role photo_judge, reads: "):
        load_profile(path)


def test_variables_in_a_profile(tmp_path, monkeypatch):
    path = tmp_path / "mine.yml"
    text = EMBEDDED.read_text(encoding="utf-8")
    path.write_text(text.replace("max_tokens: 256", "max_tokens: ${HETERQA_X:-300}"))
    monkeypatch.delenv("HETERQA_X", raising=False)
    assert load_profile(path).text_embedder.max_tokens == 300
    monkeypatch.setenv("HETERQA_X", "200")
    assert load_profile(path).text_embedder.max_tokens == 200
    path.write_text(text.replace("max_tokens: 256", "max_tokens: ${HETERQA_X}", 1))
    monkeypatch.delenv("HETERQA_X")
    with pytest.raises(
        UserError, match=r"line \d+: text_embedder.max_tokens needs the variable HETERQA_X; set it"
    ):
        load_profile(path)


@pytest.mark.parametrize("content", ["- a list", "a: [", "", "\x00"])
def test_a_profile_that_is_no_mapping_is_refused(tmp_path, content):
    path = tmp_path / "mine.yml"
    path.write_text(content)
    with pytest.raises(UserError, match=r"is not YAML|must be a mapping"):
        load_profile(path)
