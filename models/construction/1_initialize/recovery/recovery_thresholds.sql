-- One row per recoverable field, value that is recovered, and fold that is left out: the lowest
-- hundredth of probability at which the hidden values reach the wanted precision, and the best
-- precision that they reach at any. Fold -1: no fold is left out.
-- A field with hidden values of its own has no threshold above all of them: there the values of
-- other fields alone would decide, and the field's own mistakes, all below it, would not count.
with recovery_scores as (select * from {{ ref('recovery_scores') }}),

field_claims as (select * from {{ ref('field_claims') }}),

scopes as (
    select distinct
        field_claims.field,
        sides.is_true,
        folds.left_out_fold,
    from field_claims,
        (select unnest([true, false]) as is_true) as sides,
        (select unnest(range(-1, {{ var('recovery_folds') }})) as left_out_fold) as folds
    where field_claims.is_recoverable
),

hidden as (
    select * from recovery_scores
    where purpose = 'hidden' and is_usable
),

thresholds as (
    select hundredth / 100 as threshold,
    from (
        select
            unnest(range(
                ceil({{ var('recovery_least_threshold') }} * 100)::integer, 100
            )) as hundredth
    )
),

field_counts as (
    select
        scopes.field,
        scopes.is_true,
        scopes.left_out_fold,
        thresholds.threshold,
        count(hidden.field) as predicted_count,
        count(*) filter (where hidden.is_right) as right_count,
    from scopes
    cross join thresholds
    left join hidden
        on
            scopes.field = hidden.field
            and scopes.is_true = hidden.is_true
            and scopes.left_out_fold != hidden.fold
            and thresholds.threshold <= hidden.confidence
    group by scopes.field, scopes.is_true, scopes.left_out_fold, thresholds.threshold
),

curve as (
    select
        field,
        is_true,
        left_out_fold,
        threshold,
        predicted_count,
        right_count,
        sum(predicted_count) over pooled as pooled_count,
        sum(right_count) over pooled as pooled_right_count,
    from field_counts
    window pooled as (partition by is_true, left_out_fold, threshold)
),

estimates as (
    select
        field,
        is_true,
        left_out_fold,
        threshold,
        {{ pooled_precision(
            'right_count', 'predicted_count', '(pooled_right_count / pooled_count)'
        ) }} as precision,
    from curve
    where pooled_count >= {{ var('audit_predicted_minimum') }}
    qualify
        predicted_count > 0
        or max(predicted_count) over (partition by field, is_true, left_out_fold) = 0
),

final as (
    select
        scopes.field,
        scopes.is_true,
        scopes.left_out_fold,
        {%- if var('recovery_threshold') == 'calibrated' %}
        if(
            count(estimates.threshold) = 0,
            {{ var('recovery_default_threshold') }},
            min(estimates.threshold)
                filter (where estimates.precision >= {{ var('recovery_precision') }})
        ) as threshold,
        {%- else %}
        cast('{{ var("recovery_threshold") }}' as double) as threshold,
        {%- endif %}
        max(estimates.precision) as best_precision,
    from scopes
    left join estimates using (field, is_true, left_out_fold)
    group by scopes.field, scopes.is_true, scopes.left_out_fold
)

select * from final
