-- One row per recovery channel and field: the threshold in force, and how it came about.
-- field: the lowest score whose precision on the field's own hidden values reaches the wanted
-- one;
-- pooled: the same over all fields of the channel, where the field has too few scored hidden
-- values;
-- default: too few in the whole channel; fixed: a var; unreachable: no score reaches the
-- precision, and the channel recovers nothing for the field.
with recovery_scores as (select * from {{ ref('recovery_scores') }}),

field_claims as (select * from {{ ref('field_claims') }}),

scopes as (
    select distinct
        channels.channel,
        field_claims.field,
    from field_claims, (select unnest(['text', 'photo', 'graph']) as channel) as channels
    where field_claims.is_recoverable
),

-- As in the recovery itself, evidence against in any channel takes a value out.
contested as (
    select distinct
        claim_id,
        record_id,
    from recovery_scores
    where against_count > 0
),

hidden as (
    select
        recovery_scores.channel,
        field_claims.field,
        recovery_scores.score,
        recovery_scores.is_true,
    from recovery_scores
    inner join field_claims using (claim_id)
    where
        recovery_scores.purpose = 'hidden' and recovery_scores.score > 0
        and (recovery_scores.claim_id, recovery_scores.record_id) not in (
            select (claim_id, record_id) from contested
        )
),

scoped as (
    select * from hidden
    union all
    select
        channel,
        '*' as field,
        score,
        is_true,
    from hidden
),

curve as (
    select distinct
        channel,
        field,
        score as threshold,
        count(*) over above as predicted_count,
        round(avg(is_true::integer) over above, 4) as precision,
    from scoped
    window above as (
        partition by channel, field
        order by score desc range between unbounded preceding and current row
    )
),

reached as (
    select
        channel,
        field,
        min(threshold) as threshold,
    from curve
    where
        precision >= {{ var('recovery_precision') }}
        and predicted_count >= {{ var('audit_predicted_minimum') }}
    group by channel, field
),

counted as (
    select
        channel,
        field,
        count(*) as scored_count,
    from scoped
    group by channel, field
),

decided as (
    select
        scopes.channel,
        scopes.field,
        coalesce(of_field.scored_count, 0) as scored_count,
        case
            when '{{ var("recovery_threshold") }}' != 'calibrated' then 'fixed'
            when of_field.scored_count >= {{ var('audit_minimum') }} then 'field'
            when of_channel.scored_count >= {{ var('audit_minimum') }} then 'pooled'
            else 'default'
        end as scope,
    from scopes
    left join counted as of_field
        on scopes.channel = of_field.channel and scopes.field = of_field.field
    left join counted as of_channel
        on scopes.channel = of_channel.channel and of_channel.field = '*'
),

placed as (
    select
        decided.channel,
        decided.field,
        decided.scored_count,
        decided.scope,
        case decided.scope
            {%- if var('recovery_threshold') != 'calibrated' %}
            when 'fixed' then cast('{{ var("recovery_threshold") }}' as double)
            {%- endif %}
            when 'default' then {{ var('recovery_default_threshold') }}
            -- A channel that does not reach the precision stays without a threshold.
            else if(
                reached.threshold is null, null,
                greatest(reached.threshold, {{ var('recovery_least_threshold') }})
            )
        end as threshold,
    from decided
    left join reached
        on
            decided.channel = reached.channel
            and reached.field = if(decided.scope = 'field', decided.field, '*')
),

final as (
    select
        channel,
        field,
        if(threshold is null, 'unreachable', scope) as basis,
        threshold,
        scored_count,
    from placed
)

select * from final
