{#-
    A query with the nearest candidates of each query vector. Equally near candidates are taken in
    the order of their key. The answer is exact and every pair has its row, so this is for searches
    among the entries of one record; udfs/search/nearest.py searches a whole collection.
    candidates: CTE with one row per pair of a query and a candidate, and its `similarity`
    query: names of the columns that identify the query
    key: name of the column that identifies the candidate
    most: SQL expression of the number of candidates that a query has at most
    least: the similarity below which nothing is near; without it, the nearest are taken however far
    always: name of a flag; flagged candidates come first, however far they are
-#}
{% macro nearest(candidates, query, key, most=1, least=none, always=none) -%}
    select *
    from {{ candidates }}
    {%- if least is not none %}
    where {% if always %}{{ always }} or {% endif %}similarity >= {{ least }}
    {%- endif %}
    qualify
        row_number() over (
            partition by {{ query | join(', ') }}
            order by {% if always %}{{ always }} desc, {% endif %}similarity desc, {{ key }} asc
        ) <= {{ most }}
{%- endmacro %}
