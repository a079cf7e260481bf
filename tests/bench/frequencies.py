"""Whether what is drawn is drawn as the rules say: chi-square tests over many attempts.

What is expected of an attempt follows from the rules and from what its seed record has. Its sum
over all attempts is compared with what was drawn. Attempts are independent and differ in their
chances, so the statistic is at most chi-square distributed.
"""

from __future__ import annotations

from typing import NamedTuple

import duckdb
from scipy.stats import chi2

from tests.support.render import render

# Cells that are expected more rarely are taken together.
LEAST_EXPECTED = 5

# One row per attempt and field or category of its seed, with the weights of those it competes
# with: kind is category, core or other. drawn_count of them were drawn.
COMPETITORS = """
    create or replace temp table competitors as
    with options as (
        select distinct
            attempt_id,
            if(tier in ('category', 'core'), tier, 'other') as kind,
            tier,
            if(tier = 'category', value, field) as name,
            if(tier = 'category', probability, weight) as weight,
        from attempts inner join field_options on seed_record_id = record_id
    ),

    drawn as (
        select
            attempt_id,
            if(tier in ('category', 'core'), tier, 'other') as kind,
            list(if(tier = 'category', value, field)) as names,
        from constraint_draws
        group by all
    ),

    summed as (
        select
            *,
            sum(weight) over (partition by attempt_id, kind) as weights,
            count(*) over (partition by attempt_id, kind) as option_count,
        from options
    ),

    -- Without replacement the second is drawn among those that the first leaves.
    odds as (
        select
            *,
            weight / nullif(weights - weight, 0) as odds,
            sum(odds) over (partition by attempt_id, kind) as odds_sum,
        from summed
    )

    select
        odds.*,
        list_contains(drawn.names, name)::integer as is_drawn,
        len(drawn.names) as drawn_count,
        case
            when drawn_count >= option_count then 1
            when drawn_count = 1 then weight / weights
            else weight / weights * (1 + odds_sum - odds)
        end as chance,
    from odds inner join drawn using (attempt_id, kind)
"""
BY_NAME = """
    select sum(is_drawn), sum(chance) from competitors
    where kind = '{kind}' and drawn_count < option_count group by {cells}
"""
# How many were drawn where two could be: in cells of one and of two.
COUNTS = """
    select
        unnest([
            count(*) filter (where drawn_count = 1), count(*) filter (where drawn_count = 2)
        ]),
        unnest([count(*) * (1 - {{{{ var('{share}') }}}}), count(*) * {{{{ var('{share}') }}}}])
    from (select distinct attempt_id, drawn_count from competitors
        where kind = '{kind}' and option_count > 1)
"""
TESTS = {
    "seed record, by tenth": """
        with numbered as (
            select *, floor(10 * position / record_count) as tenth from seed_records
        ),
        drawn as (
            select subset, tenth, count(*) as drawn
            from attempts inner join numbered using (subset)
            where seed_record_id = record_id
            group by all
        ),
        totals as (select subset, count(*) as attempt_count from attempts group by subset)
        select coalesce(any_value(drawn), 0), count(*) / any_value(record_count * 1.0)
            * any_value(attempt_count)
        from numbered inner join totals using (subset) left join drawn using (subset, tenth)
        group by subset, tenth
    """,
    "one category or two": COUNTS.format(kind="category", share="second_category_share"),
    "category": BY_NAME.format(kind="category", cells="name"),
    "Core field": BY_NAME.format(kind="core", cells="name"),
    "one other field or two": COUNTS.format(kind="other", share="second_field_share"),
    "other field": BY_NAME.format(kind="other", cells="name"),
    "tier of other fields": BY_NAME.format(kind="other", cells="tier"),
    "value of a field": """
        with chances as (
            select
                constraint_draws.field, field_options.operator, field_options.value,
                (constraint_draws.operator, constraint_draws.value)
                = (field_options.operator, field_options.value) as is_drawn,
                probability
                / sum(probability) over (partition by attempt_id, constraint_draws.field) as chance,
                count(*) over (partition by attempt_id, constraint_draws.field) as option_count
            from constraint_draws
            inner join attempts using (attempt_id)
            inner join field_options
                on seed_record_id = record_id and constraint_draws.field = field_options.field
            where constraint_draws.tier != 'category'
        )
        select count(*) filter (where is_drawn), sum(chance) from chances
        where option_count > 1 group by field, operator, value
    """,
}
# Below this a deviation is no chance. By Bonferroni, all the tests together reject what is drawn by
# the rules once in a thousand times.
LEAST_PROBABILITY = 0.001 / len(TESTS)


class Comparison(NamedTuple):
    """What was drawn against what the rules expect."""

    name: str
    drawn: int
    cells: int
    statistic: float
    probability: float


def compare(con: duckdb.DuckDBPyConnection) -> list[Comparison]:
    """All the comparisons, for attempts that draw once each."""
    con.execute(COMPETITORS)
    return [_compare(name, con.execute(render(sql)).fetchall()) for name, sql in TESTS.items()]


def _compare(name: str, rows: list[tuple[int, float]]) -> Comparison:
    """Pearson's statistic; rare cells are one."""
    cells = [(int(drawn), float(expected)) for drawn, expected in rows]
    often = [(drawn, expected) for drawn, expected in cells if expected >= LEAST_EXPECTED]
    rare = [cell for cell in cells if cell[1] < LEAST_EXPECTED]
    if rare:
        often.append((sum(drawn for drawn, _ in rare), sum(expected for _, expected in rare)))
    statistic = sum((drawn - expected) ** 2 / expected for drawn, expected in often)
    probability = float(chi2.sf(statistic, len(often) - 1))
    return Comparison(name, sum(d for d, _ in cells), len(often), statistic, probability)
