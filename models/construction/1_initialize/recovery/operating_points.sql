-- One row per recoverable field, value that is recovered, and fold that is left out: the threshold,
-- how it came about, and how precise it is for hidden values that had no part in it. A field whose
-- recovered values are not precise enough has no threshold. The threshold in force leaves out no
-- fold (-1). The thresholds that leave out a fold are for the audit: the hidden values of that fold
-- had no part in the threshold, nor in the decision that the field has one.
with recovery_thresholds as (select * from {{ ref('recovery_thresholds') }}),

recovery_scores as (select * from {{ ref('recovery_scores') }}),

-- Beside each value the threshold that its own fold had no part in.
hidden as (
    select
        recovery_scores.field,
        recovery_scores.is_true,
        recovery_scores.fold,
        recovery_scores.confidence,
        recovery_scores.is_right,
        recovery_thresholds.threshold as unseen_threshold,
    from recovery_scores
    inner join recovery_thresholds
        on
            recovery_scores.field = recovery_thresholds.field
            and recovery_scores.is_true = recovery_thresholds.is_true
            and recovery_scores.fold = recovery_thresholds.left_out_fold
    where recovery_scores.purpose = 'hidden' and recovery_scores.is_usable
),

counts as (
    select
        thresholds.field,
        thresholds.is_true,
        thresholds.left_out_fold,
        thresholds.threshold,
        thresholds.best_precision,
        count(*) filter (where hidden.confidence >= thresholds.threshold) as predicted_count,
        count(*) filter (where hidden.confidence >= hidden.unseen_threshold) as unseen_count,
        count(*) filter (
            where hidden.confidence >= hidden.unseen_threshold and hidden.is_right
        ) as right_count,
    from recovery_thresholds as thresholds
    left join hidden
        on
            thresholds.field = hidden.field
            and thresholds.is_true = hidden.is_true
            and thresholds.left_out_fold != hidden.fold
    group by
        thresholds.field, thresholds.is_true, thresholds.left_out_fold, thresholds.threshold,
        thresholds.best_precision
),

expected as (
    select
        *,
        {{ pooled_precision(
            'right_count', 'unseen_count',
            '(sum(right_count) over pooled / nullif(sum(unseen_count) over pooled, 0))'
        ) }} as expected_precision,
        right_count < {{ var('recovery_precision') }} * unseen_count as is_worse_itself,
    from counts
    window pooled as (partition by is_true, left_out_fold)
),

decided as (
    select
        *,
        case
            {%- if var('recovery_threshold') != 'calibrated' %}
            when true then 'fixed'
            {%- endif %}
            when threshold is null then 'unreachable'
            when is_worse_itself or expected_precision < {{ var('recovery_precision') }}
                then 'refused'
            when best_precision is null then 'default'
            when predicted_count >= {{ var('audit_minimum') }} then 'field'
            else 'pooled'
        end as basis,
    from expected
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
