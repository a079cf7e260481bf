"""Draws by hash, and the settings that they start from."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.render import MacroError, render

Query = Callable[..., Any]


def python_draw(seed: str, *parts: str | None) -> float:
    """The draw as documented: 52 bits of the md5 of the parts, nulls left out."""
    content = "\x1f".join([seed, *(part for part in parts if part is not None)])
    return int(hashlib.md5(content.encode()).hexdigest()[:13], 16) / 2**52


def drawn(macro: str, owners: list[str] | int, seed: str = "7") -> list[float]:
    """The draws of owners, or of a0, a1 and so on, in their order."""
    names = "'a' || unnest(range($1))" if isinstance(owners, int) else "unnest($1)"
    sql = f"select {render(macro, {'HETERQA_SEED': seed})} from (select {names} as owner)"
    return [value for (value,) in duckdb.execute(sql, [owners]).fetchall()]


@given(
    st.lists(st.text(max_size=12).filter(lambda t: "\0" not in t), min_size=1, max_size=5),
    st.sampled_from(["", "r1", "Zoë", "東京"]),
    st.sampled_from(["0", "7", "123456789"]),
)
def test_draw_is_the_md5(owners: list[str], key: str, seed: str) -> None:
    expected = [python_draw(seed, owner, "anchor", key) for owner in owners]
    assert drawn(f"{{{{ draw('owner', 'anchor', \"'{key}'\") }}}}", owners, seed) == expected


def test_draw_with_nulls(query: Query) -> None:
    draws = query("{{ draw('null', 'anchor', \"'k'\") }}, {{ draw(\"'a'\", 'anchor', 'null') }}")
    assert draws == (python_draw("7", "anchor", "k"), python_draw("7", "a", "anchor"))


def test_draws_are_uniform_and_independent() -> None:
    count = 10_000
    first = drawn("{{ draw('owner', 'anchor') }}", count)
    ranked = sorted(first)
    assert ranked[0] >= 0 and ranked[-1] < 1
    # Kolmogorov and Smirnov's distance stays below 1.63 / sqrt(n) in 99 of 100 samples.
    gaps = (abs((rank + 0.5) / count - value) for rank, value in enumerate(ranked))
    assert max(gaps) < 1.63 / math.sqrt(count)
    for other in (
        drawn("{{ draw('owner', 'bearing') }}", count),
        drawn("{{ draw('owner', 'anchor', \"'k'\") }}", count),
        drawn("{{ draw('owner', 'anchor') }}", count, seed="8"),
    ):
        products = sum((a - 0.5) * (b - 0.5) for a, b in zip(first, other, strict=True))
        assert abs(products / count * 12) < 0.05


def test_weighted_draw_follows_the_weights() -> None:
    sql = render(
        """
        select field, count(*)
        from (
            select field
            from (select 'a' || unnest(range(4000)) as owner)
            cross join (values ('light', 1.0), ('heavy', 3.0)) as fields (field, weight)
            qualify row_number() over (
                partition by owner
                order by {{ weighted_draw('weight', 'owner', 'field', 'field') }}, field
            ) = 1
        )
        group by field
        """
    )
    counts = dict(duckdb.execute(sql).fetchall())
    assert counts["heavy"] / 4000 == pytest.approx(0.75, abs=0.03)


def test_settings() -> None:
    assert render("{{ setting('seed') }} {{ setting('questions') }}") == "7 null"
    assert render("{{ setting('seed') }}", {"HETERQA_SEED": " 12 "}) == "12"
    for wrong in ("", "x", "1; drop table records", "-1"):
        with pytest.raises(MacroError, match="HETERQA_SEED is"):
            render("{{ setting('seed') }}", {"HETERQA_SEED": wrong})
