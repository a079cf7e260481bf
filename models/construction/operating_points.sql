-- One row per recoverable field, value that is recovered, and fold that is left out: the threshold,
-- how it came about, and how precise it is for hidden values that had no part in it. A field that
-- is not precise enough has none. The one in force leaves out no fold (-1); by the others the audit
-- tells how well values are recovered that had no part in the threshold, or in there being one.
with recovery_thresholds as (select * from {{ ref('recovery_thresholds') }}),

recovery_scores as (select * from {{ ref('recovery_scores') }}),

hidden as (
    select * from recovery_scores
    where purpose = 'hidden' and is_usable
),

let_through as (
    select
        recovery_thresholds.field,
        recovery_thresholds.is_true,
        recovery_thresholds.left_out_fold,
        count(hidden.field) as predicted_count,
    from recovery_thresholds
    left join hidden
        on
            recovery_thresholds.field = hidden.field
            and recovery_thresholds.is_true = hidden.is_true
            and recovery_thresholds.left_out_fold != hidden.fold
            and recovery_thresholds.threshold <= hidden.confidence
    group by
        recovery_thresholds.field, recovery_thresholds.is_true,
        recovery_thresholds.left_out_fold
),

-- Each value by the threshold that its own fold had no part in.
unseen as (
    select hidden.*
    from hidden
    inner join recovery_thresholds
        on
            hidden.field = recovery_thresholds.field
            and hidden.is_true = recovery_thresholds.is_true
            and hidden.fold = recovery_thresholds.left_out_fold
            and hidden.confidence >= recovery_thresholds.threshold
),

unseen_counts as (
    select
        recovery_thresholds.field,
        recovery_thresholds.is_true,
        recovery_thresholds.left_out_fold,
        recovery_thresholds.threshold,
        recovery_thresholds.best_precision,
        count(unseen.field) as unseen_count,
        count(*) filter (where unseen.is_right) as right_count,
    from recovery_thresholds
    left join unseen
        on
            recovery_thresholds.field = unseen.field
            and recovery_thresholds.is_true = unseen.is_true
            and recovery_thresholds.left_out_fold != unseen.fold
    group by
        recovery_thresholds.field, recovery_thresholds.is_true,
        recovery_thresholds.left_out_fold, recovery_thresholds.threshold,
        recovery_thresholds.best_precision
),

expected as (
    select
        *,
        {{ pooled_precision(
            'right_count', 'unseen_count',
            '(sum(right_count) over pooled / nullif(sum(unseen_count) over pooled, 0))'
        ) }} as expected_precision,
        right_count < {{ var('recovery_precision') }} * unseen_count as is_worse_itself,
    from unseen_counts
    window pooled as (partition by is_true, left_out_fold)
),

decided as (
    select
        expected.*,
        let_through.predicted_count,
        case
            {%- if var('recovery_threshold') != 'calibrated' %}
            when true then 'fixed'
            {%- endif %}
            when expected.threshold is null then 'unreachable'
            when
                expected.is_worse_itself
                or expected.expected_precision < {{ var('recovery_precision') }}
                then 'refused'
            when expected.best_precision is null then 'default'
            when let_through.predicted_count >= {{ var('audit_minimum') }} then 'field'
            else 'pooled'
        end as basis,
    from expected
    inner join let_through using (field, is_true, left_out_fold)
),

final as (
    select
        field,
        is_true,
        left_out_fold,
        basis,
        if(basis != 'refused', threshold, null) as threshold,
        predicted_count,
        unseen_count,
        right_count,
        expected_precision,
        best_precision,
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
                    right_count || ' of ' || unseen_count
                    || ' hidden values that had no part in the threshold are right, '
                    || printf('%.3f', expected_precision)
                    || ' counting values of all fields beside these few;'
                    || ' both are to reach {{ var("recovery_precision") }}'
            when 'field' then 'the lowest allowed threshold that reaches the wanted precision'
            when 'pooled'
                then
                    predicted_count
                    || ' hidden values above it are too few: mostly the values of all fields decide'
        end as why,
    from decided
)

select * from final
