-- One row per recovery channel: the threshold in force, and how it came about.
-- calibrated: the lowest score whose precision on hidden known values reaches the wanted one;
-- default: too few hidden values were scored to read one off; fixed: a var; unreachable: no score
-- reaches it, and the channel recovers nothing.
with recovery_scores as (select * from {{ ref('recovery_scores') }}),

channels as (select unnest(['text', 'photo', 'graph']) as channel),

hidden as (
    select
        channel,
        score,
        is_true,
    from recovery_scores
    where purpose = 'hidden' and against_count = 0 and score > 0
),

curve as (
    select distinct
        channel,
        score as threshold,
        count(*) over above as predicted_count,
        round(avg(is_true::integer) over above, 4) as precision,
    from hidden
    window above as (
        partition by channel order by score desc range between unbounded preceding and current row
    )
),

reached as (
    select
        channel,
        min(threshold) as threshold,
    from curve
    where precision >= {{ var('recovery_precision') }} and predicted_count >= 5
    group by channel
),

counted as (
    select
        channel,
        count(*) as audited_count,
    from hidden
    group by channel
),

decided as (
    select
        channels.channel,
        coalesce(counted.audited_count, 0) as audited_count,
        case
            when '{{ var("recovery_threshold") }}' != 'calibrated' then 'fixed'
            when coalesce(counted.audited_count, 0) < {{ var('audit_minimum') }} then 'default'
            when reached.threshold is null then 'unreachable'
            else 'calibrated'
        end as basis,
        reached.threshold as calibrated_threshold,
    from channels
    left join counted using (channel)
    left join reached using (channel)
),

final as (
    select
        channel,
        basis,
        case basis
            when 'fixed' then try_cast('{{ var("recovery_threshold") }}' as double)
            when 'default' then {{ var('recovery_default_threshold') }}
            when 'calibrated' then calibrated_threshold
        end as threshold,
        audited_count,
    from decided
)

select * from final
