{#-
    One row per run, question and metric with its value in [0, 1]: hit@5, recall@10, mrr@10.
    Records rank by score descending, then record_id ascending. A question that a run does not
    answer counts 0, a record without a qrel is wrong, rows of questions not asked are left out; a
    question without an answer is an error, because no value would be true of it.
    runs: relation with run, qid, record_id, score (one row per run, question and record)
    qrels: relation with qid, record_id (one row per question and answer)
    queries: relation with qid (one row per question)
-#}
{% macro question_metrics(runs, qrels, queries) -%}
    (
        with answer_counts as (
            select
                queries.qid,
                count(qrels.record_id) as answer_count,
            from {{ queries }} as queries
            left join {{ qrels }} as qrels on queries.qid = qrels.qid
            group by queries.qid
        ),

        ranked as (
            select
                run,
                qid,
                record_id,
                row_number() over (
                    partition by run, qid order by score desc, record_id asc
                ) as place,
            from (select run, qid, record_id, score from {{ runs }})
            qualify place <= 10
        ),

        hits as (
            select
                ranked.run,
                ranked.qid,
                min(ranked.place) as first_place,
                count(*) as hit_count,
            from ranked
            inner join {{ qrels }} as qrels
                on ranked.qid = qrels.qid and ranked.record_id = qrels.record_id
            group by ranked.run, ranked.qid
        ),

        measured as (
            select
                run_names.run,
                answer_counts.qid,
                coalesce(hits.first_place <= 5, false)::integer::double as hit,
                coalesce(hits.hit_count, 0) / if(
                    answer_counts.answer_count > 0,
                    answer_counts.answer_count,
                    error('question ' || answer_counts.qid || ' has no answer: add its qrels')
                ) as recall,
                coalesce(1 / hits.first_place, 0.0) as reciprocal_rank,
            from (select distinct run from {{ runs }}) as run_names
            cross join answer_counts
            left join hits on run_names.run = hits.run and answer_counts.qid = hits.qid
        )

        select run, qid, 'hit@5' as metric, hit as value from measured
        union all
        select run, qid, 'recall@10' as metric, recall as value from measured
        union all
        select run, qid, 'mrr@10' as metric, reciprocal_rank as value from measured
    )
{%- endmacro %}
