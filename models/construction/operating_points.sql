-- One row per field, value that is recovered, and fold that is left out: the threshold, and how it
-- came about. The one in force leaves out none (-1); the others tell the audit how well a value is
-- recovered that had no part in its threshold.
-- The threshold is the lowest hundredth of probability at which the hidden values reach the wanted
-- precision. A field's own values count as they are, beside as many of all fields' as make up for
-- their small number (`recovery_pooling`): so four right ones of four are not taken for a precision
-- of 1.
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
    select
        field,
        is_true,
        fold,
        confidence,
        (is_true = known_value)::integer as is_right,
    from recovery_scores
    where purpose = 'hidden' and evidence_id is not null and failed_count = 0
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
        coalesce(sum(hidden.is_right), 0) as right_count,
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
        predicted_count,
        round(
            (right_count + {{ var('recovery_pooling') }} * pooled_right_count / pooled_count)
            / (predicted_count + {{ var('recovery_pooling') }}), 4
        ) as precision,
    from curve
    where pooled_count >= {{ var('audit_predicted_minimum') }}
),

reached as (
    select
        field,
        is_true,
        left_out_fold,
        min(threshold) as threshold,
    from estimates
    where precision >= {{ var('recovery_precision') }}
    group by field, is_true, left_out_fold
),

best as (
    select
        field,
        is_true,
        left_out_fold,
        max(precision) as precision,
    from estimates
    group by field, is_true, left_out_fold
),

counted as (
    select
        scopes.field,
        scopes.is_true,
        scopes.left_out_fold,
        count(hidden.field) as scored_count,
    from scopes
    left join hidden
        on
            scopes.field = hidden.field
            and scopes.is_true = hidden.is_true
            and scopes.left_out_fold != hidden.fold
    group by scopes.field, scopes.is_true, scopes.left_out_fold
),

final as (
    select
        counted.field,
        counted.is_true,
        counted.left_out_fold,
        counted.scored_count,
        {%- if var('recovery_threshold') != 'calibrated' %}
        'fixed' as basis,
        cast('{{ var("recovery_threshold") }}' as double) as threshold,
        'the threshold is a setting' as why,
        {%- else %}
        case
            when best.precision is null then 'default'
            when reached.threshold is null then 'unreachable'
            when counted.scored_count >= {{ var('audit_minimum') }} then 'field'
            else 'pooled'
        end as basis,
        if(
            best.precision is null,
            {{ var('recovery_default_threshold') }}, reached.threshold
        ) as threshold,
        case
            when best.precision is null
                then 'no field has enough hidden values with evidence'
            when reached.threshold is null
                then
                    'the best precision of any threshold is '
                    || printf('%.3f', best.precision)
                    || ', wanted is {{ var("recovery_precision") }}'
            when counted.scored_count >= {{ var('audit_minimum') }}
                then 'the lowest threshold that reaches the wanted precision'
            else
                counted.scored_count
                || ' hidden values with evidence are too few: mostly the curve of all fields'
        end as why,
        {%- endif %}
    from counted
    left join reached using (field, is_true, left_out_fold)
    left join best using (field, is_true, left_out_fold)
)

select * from final
