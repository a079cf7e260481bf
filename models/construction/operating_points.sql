-- One row per recoverable field and value that is recovered: the threshold, how it came about, and
-- how precise it is for hidden values that had no part in it. A field that is not precise enough
-- has none.
with recovery_thresholds as (select * from {{ ref('recovery_thresholds') }}),

recovery_scores as (select * from {{ ref('recovery_scores') }}),

hidden as (
    select * from recovery_scores
    where purpose = 'hidden' and is_usable
),

held_out as (
    select
        recovery_thresholds.field,
        recovery_thresholds.is_true,
        count(hidden.field) as recovered_count,
        count(*) filter (where hidden.is_true = hidden.known_value) as right_count,
    from recovery_thresholds
    left join hidden
        on
            recovery_thresholds.field = hidden.field
            and recovery_thresholds.is_true = hidden.is_true
            and recovery_thresholds.left_out_fold = hidden.fold
            and recovery_thresholds.threshold <= hidden.confidence
    group by recovery_thresholds.field, recovery_thresholds.is_true
),

pooled as (
    select
        *,
        sum(right_count) over (partition by is_true)
        / nullif(sum(recovered_count) over (partition by is_true), 0) as pooled_precision,
    from held_out
),

expected as (
    select
        field,
        is_true,
        recovered_count,
        right_count,
        {{ pooled_precision('right_count', 'recovered_count', 'pooled_precision') }}
            as expected_precision,
    from pooled
),

in_force as (
    select
        recovery_thresholds.field,
        recovery_thresholds.is_true,
        recovery_thresholds.threshold,
        recovery_thresholds.best_precision,
        count(hidden.field) as predicted_count,
    from recovery_thresholds
    left join hidden
        on
            recovery_thresholds.field = hidden.field
            and recovery_thresholds.is_true = hidden.is_true
            and recovery_thresholds.threshold <= hidden.confidence
    where recovery_thresholds.left_out_fold = -1
    group by
        recovery_thresholds.field, recovery_thresholds.is_true, recovery_thresholds.threshold,
        recovery_thresholds.best_precision
),

decided as (
    select
        in_force.*,
        expected.recovered_count,
        expected.right_count,
        expected.expected_precision,
        case
            {%- if var('recovery_threshold') != 'calibrated' %}
            when true then 'fixed'
            {%- endif %}
            when in_force.best_precision is null then 'default'
            when in_force.threshold is null then 'unreachable'
            when expected.expected_precision < {{ var('recovery_precision') }} then 'refused'
            when in_force.predicted_count >= {{ var('audit_minimum') }} then 'field'
            else 'pooled'
        end as basis,
    from in_force
    inner join expected using (field, is_true)
),

final as (
    select
        field,
        is_true,
        basis,
        if(basis != 'refused', threshold, null) as threshold,
        predicted_count,
        expected_precision,
        case basis
            when 'fixed' then 'the threshold is a setting'
            when 'default' then 'no field has enough hidden values with evidence'
            when 'unreachable'
                then
                    'the best precision of any threshold is '
                    || printf('%.3f', best_precision)
                    || ', wanted is {{ var("recovery_precision") }}'
            when 'refused'
                then
                    right_count || ' of ' || recovered_count
                    || ' hidden values are right by thresholds that others set: with those of all'
                    || ' fields, a precision of ' || printf('%.3f', expected_precision)
                    || ', wanted is {{ var("recovery_precision") }}'
            when 'field' then 'the lowest threshold that reaches the wanted precision'
            when 'pooled'
                then
                    predicted_count
                    || ' hidden values above it are too few: mostly the curve of all fields'
        end as why,
    from decided
)

select * from final
