{#-
    Reciprocal rank fusion (Cormack et al., 2009): one ranking per run and question out of several.
    A record scores the sum of 1 / (k + rank) over the rankings that hold it; only ranks enter, so
    rankings of different scales may meet. Summed as decimals: no order of rows can change a bit.
    rankings: relation with one row per run, qid, ranking and record_id, and its rank there
-#}
{% macro rank_fusion(rankings) -%}
    select
        run,
        qid,
        record_id,
        row_number() over (partition by run, qid order by score desc, record_id asc) as rank,
        score::double as score,
    from (
        select
            run,
            qid,
            record_id,
            sum((1.0::double / ({{ var('rrf_k') }} + rank))::decimal(18, 12)) as score,
        from {{ rankings }}
        group by run, qid, record_id
    ) as fused
    qualify rank <= {{ var('retrieval_depth') }}
{%- endmacro %}
