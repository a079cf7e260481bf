-- One row per recoverable field, channel and value that is recovered, each also as all of them: how
-- well the recovery brings back known values that were hidden from it.
-- A channel's values are those whose best evidence is of it. What is to be expected of unknown
-- values goes by their own mix of fields: some are asked for, and left open, far more than others.
with recovery_hidden_values as (select * from {{ ref('recovery_hidden_values') }}),

operating_points as (select * from {{ ref('operating_points') }}),

recovered_values as (select * from {{ ref('recovered_values') }}),

field_claims as (select * from {{ ref('field_claims') }}),

scopes as (
    select
        operating_points.field,
        if(operating_points.is_true, 'true', 'false') as value,
        operating_points.basis,
        operating_points.threshold,
        operating_points.why,
    from operating_points
    where operating_points.left_out_fold = -1
    union all
    select distinct
        fields.field,
        sides.value,
        null as basis,
        null as threshold,
        'each field and value has its own threshold' as why,
    from operating_points,
        (select unnest([operating_points.field, '*']) as field) as fields,
        (select unnest(['true', 'false', 'all']) as value) as sides
    where fields.field = '*' or sides.value = 'all'
),

channels as (select unnest(['text', 'photo', 'graph', 'all']) as channel),

hidden as (
    select
        fields.field,
        hidden_values.known_value,
        hidden_values.probability,
        hidden_values.is_true,
        hidden_values.channel,
        hidden_values.is_recovered,
        hidden_values.is_usable,
    from recovery_hidden_values as hidden_values,
        (select unnest([hidden_values.field, '*']) as field) as fields
),

hidden_counts as (
    select
        hidden.field,
        sides.value,
        count(*) as hidden_count,
    from hidden,
        (select unnest([if(hidden.known_value, 'true', 'false'), 'all']) as value) as sides
    group by hidden.field, sides.value
),

evident as (
    select
        hidden.field,
        places.channel,
        sides.value,
        hidden.is_recovered,
        hidden.is_true = hidden.known_value as is_right,
    from hidden,
        (select unnest([hidden.channel, 'all']) as channel) as places,
        (select unnest([if(hidden.is_true, 'true', 'false'), 'all']) as value) as sides
    where hidden.is_usable
),

counts as (
    select
        field,
        channel,
        value,
        count(*) as evidence_count,
        count(*) filter (where is_recovered) as recovered_count,
        count(*) filter (where is_recovered and is_right) as right_count,
    from evident
    group by field, channel, value
),

unknown as (
    select
        field_claims.field,
        recovered_values.channel,
        if(recovered_values.is_true, 'true', 'false') as value,
        operating_points.expected_precision,
    from recovered_values
    inner join field_claims using (claim_id)
    inner join operating_points
        on
            field_claims.field = operating_points.field
            and recovered_values.is_true = operating_points.is_true
    where operating_points.left_out_fold = -1
),

unknown_counts as (
    select
        fields.field,
        places.channel,
        sides.value,
        count(*) as unknown_count,
        round(avg(unknown.expected_precision::decimal(5, 4)), 4) as expected_precision,
    from unknown,
        (select unnest([unknown.field, '*']) as field) as fields,
        (select unnest([unknown.channel, 'all']) as channel) as places,
        (select unnest([unknown.value, 'all']) as value) as sides
    group by fields.field, places.channel, sides.value
),

-- The area under the curve: the share of pairs of a true and a false value that are in order.
ranked as (
    select
        hidden.field,
        places.channel,
        hidden.known_value,
        rank() over placed + (count(*) over tied - 1) / 2 as mean_rank,
    from hidden,
        (select unnest([hidden.channel, 'all']) as channel) as places
    where hidden.is_usable
    window
        placed as (partition by hidden.field, places.channel order by hidden.probability),
        tied as (partition by hidden.field, places.channel, hidden.probability)
),

rank_sums as (
    select
        field,
        channel,
        sum(mean_rank) filter (where known_value) as true_ranks,
        count(*) filter (where known_value) as true_count,
        count(*) filter (where not known_value) as false_count,
    from ranked
    group by field, channel
),

final as (
    select
        scopes.field,
        channels.channel,
        scopes.value,
        scopes.basis,
        scopes.threshold,
        coalesce(hidden_counts.hidden_count, 0) as hidden_count,
        coalesce(counts.evidence_count, 0) as evidence_count,
        coalesce(counts.recovered_count, 0) as recovered_count,
        coalesce(counts.right_count, 0) as right_count,
        round(counts.right_count / nullif(counts.recovered_count, 0), 4) as precision,
        round(coalesce(counts.right_count, 0) / nullif(hidden_counts.hidden_count, 0), 4)
            as recall,
        round(
            (rank_sums.true_ranks - rank_sums.true_count * (rank_sums.true_count + 1) / 2)
            / nullif(rank_sums.true_count * rank_sums.false_count, 0), 4
        ) as auc,
        coalesce(unknown_counts.unknown_count, 0) as unknown_count,
        unknown_counts.expected_precision,
        scopes.why,
    from scopes
    cross join channels
    left join hidden_counts using (field, value)
    left join counts using (field, channel, value)
    left join rank_sums using (field, channel)
    left join unknown_counts using (field, channel, value)
)

select * from final
