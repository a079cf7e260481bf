{#-
    A table of answers that survives a kill. The model is the query of its requests, of which the
    column `request_key` is the hash of everything that the answer depends on; the answering
    expression calls a model role. Only requests without an answer are sent, a chunk at a time, in
    key order, each chunk committed before the next is sent.

    config: answer       SQL expression over the request's columns that yields the answer STRUCT
            chunk        requests a commit (default: var resumable_chunk)

    The expression is unnested into columns. Before anything is asked, answers are looked up in the
    ledger files of the warehouse: calls that were paid for in a build that was killed before it
    could commit them, and what was imported. A row whose `error` is not null is unresolved: it is
    an answer like any other, and asked again only with HETERQA_RETRY_UNRESOLVED. Answers whose
    request is no longer made stay: they are paid for. A step fails while no request of it has any
    other answer, whichever build asked. `quality.asked` gets one row a run, and the table its row in
    `quality.answer_tables`, by which the journal finds it.
-#}
{% materialization resumable, adapter='duckdb' %}
    {%- set answer = config.require('answer') -%}
    {%- set chunk = heterqa.requests_a_commit(answer) -%}
    {%- set retries = env_var('HETERQA_RETRY_UNRESOLVED', '') not in ('', '0') -%}
    {%- set target_relation = this.incorporate(type='table') -%}
    {%- set requests = model.name ~ '__requests' -%}
    {%- set open = model.name ~ '__open' -%}
    {%- set batch = model.name ~ '__batch' -%}
    {#- What the calls of this run take: the stored answers add up all runs. -#}
    {%- set taken = model.name ~ '__taken' -%}
    {%- set answered = 'select *, unnest(' ~ answer ~ ')' -%}

    {{ run_hooks(pre_hooks, inside_transaction=False) }}
    {{ run_hooks(pre_hooks) }}
    {%- call statement('requests') -%}
        create or replace temp table {{ requests }} as
        select * from ({{ compiled_code }}) as request
        qualify row_number() over (partition by request_key order by request_key) = 1
    {%- endcall -%}

    {%- set existing = load_cached_relation(this) -%}
    {%- if existing is not none and (should_full_refresh() or existing.type != 'table') -%}
        {% do adapter.drop_relation(existing) %}
        {%- set existing = none -%}
    {%- endif -%}
    {%- if existing is none -%}
        {% do run_query('create table ' ~ target_relation ~ ' as ' ~ answered ~ ' from ' ~ requests
            ~ ' limit 0') %}
    {%- else -%}
        {% do heterqa.adopt_columns(target_relation, requests, answered) %}
    {%- endif -%}
    {#- Comments come before the answers, so that a table which a kill left half filled has them. -#}
    {% do heterqa.describe_answers(target_relation) %}
    {% do heterqa.register_answers(target_relation) %}

    {%- set open_requests -%}
        select request.* from {{ requests }} as request
        where not exists (
            select 1 from {{ target_relation }} as known
            where known.request_key = request.request_key
            {%- if retries %} and known.error is null {%- endif %}
        )
    {%- endset -%}
    {% do heterqa.take_from_ledger(target_relation, requests, answer, retries) %}
    {% do run_query('create or replace temp table ' ~ open ~ ' as ' ~ open_requests) %}
    {%- set total = run_query('select count(*) from ' ~ requests).columns[0][0] | int -%}
    {%- set wanted = run_query('select count(*) from ' ~ open).columns[0][0] | int -%}
    {%- set started = modules.datetime.datetime.now() -%}
    {{ heterqa.commit_and_begin() }}

    {% do run_query('create or replace temp table ' ~ taken
        ~ ' (input_tokens bigint, output_tokens bigint, cost double)') %}
    {%- set progress = namespace(asked=0, logged=started) -%}
    {%- for _ in range((wanted + chunk - 1) // chunk) -%}
        {% do run_query(
            'create or replace temp table ' ~ batch ~ ' as select * from ' ~ open
            ~ ' order by request_key limit ' ~ chunk ~ ' offset ' ~ progress.asked) %}
        {% do run_query(
            'create or replace temp table ' ~ batch ~ '_answers as ' ~ answered ~ ' from ' ~ batch) %}
        {% do run_query('insert into ' ~ taken ~ ' select sum(input_tokens), sum(output_tokens), sum(cost)'
            ~ ' from ' ~ batch ~ '_answers') %}
        {% do heterqa.store_answers(target_relation, batch ~ '_answers') %}
        {{ heterqa.commit_and_begin() }}
        {%- set progress.asked = [progress.asked + chunk, wanted] | min -%}
        {%- set now = modules.datetime.datetime.now() -%}
        {%- if loop.first or loop.last or (now - progress.logged).total_seconds() > 5 -%}
            {%- set seconds = [(now - started).total_seconds(), 0.001] | max -%}
            {%- set rate = progress.asked / seconds -%}
            {{ log(
                '  ' ~ model.name ~ ': ' ~ '{:,}'.format(progress.asked) ~ ' of '
                ~ '{:,}'.format(wanted) ~ ' asked, ' ~ '{:.0f}'.format(rate) ~ '/s, '
                ~ '{:.0f}'.format((wanted - progress.asked) / rate) ~ ' s left', info=true) }}
            {%- set progress.logged = now -%}
        {%- endif -%}
    {%- endfor -%}

    {%- set seconds = (modules.datetime.datetime.now() - started).total_seconds() -%}
    {%- set failed = run_query(
        'select count(*), count(*) filter (where request_key in (select request_key from ' ~ open
        ~ ')), min(error) from ' ~ target_relation ~ ' where error is not null'
        ~ ' and request_key in (select request_key from ' ~ requests ~ ')').rows[0] -%}
    {%- if failed[0] > 0 -%}
        {%- set todo = 'one of them with: ' ~ failed[2] ~ '; mend the cause, then'
            ~ ' `make retry-unresolved`' -%}
        {#- The few that a model always refuses, alone when all else is answered, stop no build. -#}
        {%- if failed[0] == total or (
            failed[1] == wanted and wanted >= [1, total * var('resumable_failed_share')] | max) -%}
            {{ exceptions.raise_compiler_error(
                model.name ~ ': all ' ~ (total if failed[0] == total else wanted)
                ~ ' calls failed, ' ~ todo) }}
        {%- endif -%}
        {#- Not a warning of dbt, which a build does not show. -#}
        {{ log(
            '  ' ~ model.name ~ ': ' ~ '{:,}'.format(failed[0]) ~ ' of ' ~ '{:,}'.format(total)
            ~ ' are unresolved, ' ~ todo, info=true) }}
    {%- endif -%}
    {% do heterqa.count_calls(
        target_relation, requests, open, taken, wanted, total - wanted, seconds) %}
    {%- call statement('main') -%}
        select {{ wanted }} as asked, {{ total - wanted }} as reused
    {%- endcall -%}

    {{ run_hooks(post_hooks) }}
    {{ adapter.commit() }}
    {{ run_hooks(post_hooks, inside_transaction=False) }}
    {{ return({'relations': [target_relation]}) }}
{% endmaterialization %}


{#-
    How many requests are sent before a commit. Answers of an endpoint are in the ledger as soon as
    they come, so a kill loses none of them, and a large chunk keeps waiting for its slowest call a
    small part of the time.
-#}
{% macro requests_a_commit(answer) -%}
    {%- set paid = run_query("select getvariable('build')['paid_functions']").columns[0][0] or '' -%}
    {%- for name in paid.split(',') if name and name ~ '(' in answer -%}
        {{ return(var('resumable_chunk_of_endpoints') | int) }}
    {%- endfor -%}
    {{ return(config.get('chunk', var('resumable_chunk')) | int) }}
{%- endmacro %}


{#- Makes what was written so far survive a kill, and goes on in a new transaction. -#}
{% macro commit_and_begin() -%}
    {% do run_query('commit') %}
    {% do run_query('begin') %}
{%- endmacro %}


{#-
    Adds answers to the stored ones. What an earlier, unresolved answer to the same request has cost
    is not forgotten.
-#}
{% macro store_answers(target_relation, answers) -%}
    {% do run_query(
        'update ' ~ answers ~ ' as answer set attempts = answer.attempts + coalesce(known.attempts, 0),'
        ~ ' input_tokens = answer.input_tokens + coalesce(known.input_tokens, 0),'
        ~ ' output_tokens = answer.output_tokens + coalesce(known.output_tokens, 0),'
        ~ ' latency_ms = answer.latency_ms + coalesce(known.latency_ms, 0),'
        ~ ' cost = answer.cost + coalesce(known.cost, 0)'
        ~ ' from ' ~ target_relation ~ ' as known where known.request_key = answer.request_key') %}
    {% do run_query(
        'delete from ' ~ target_relation ~ ' where request_key in (select request_key from '
        ~ answers ~ ')') %}
    {% do run_query('insert into ' ~ target_relation ~ ' by name select * from ' ~ answers) %}
{%- endmacro %}


{#-
    Stores the answers that the ledger files hold for requests without one: also where it is
    unresolved, and a retry was answered before it was killed. What is no answer of this table, and a
    last line that a kill cut off, is left out.
-#}
{% macro take_from_ledger(target_relation, requests, answer, retries) -%}
    {%- set ledger = run_query("select getvariable('build')['ledger']").columns[0][0] -%}
    {%- if ledger -%}
        {%- set found = model.name ~ '__ledger' -%}
        {%- set answer_type = run_query(
            'select column_type from (describe select ' ~ answer ~ ' as answer from '
            ~ requests ~ ')').columns[0][0] -%}
        {%- set found_answers -%}
            create or replace temp table {{ found }} as
            with request as (
                select
                    request.*,
                    known.request_key is not null as is_unresolved,
                from {{ requests }} as request
                left join {{ target_relation }} as known using (request_key)
                where known.request_key is null or known.error is not null
            ),

            entries as (
                select
                    request_key,
                    answer,
                from read_json(
                    getvariable('build')['ledger'], format = 'newline_delimited', ignore_errors = true,
                    columns = {request_key: 'varchar', answer: '{{ answer_type }}'},
                    maximum_object_size = 67108864
                )
                where
                    request_key in (select request_key from request)
                    and answer.attempts is not null
                    {%- if retries %} and answer.error is null {%- endif %}
                qualify row_number() over (
                    partition by request_key order by answer.error is not null, answer
                ) = 1
            )

            select request.* exclude (is_unresolved), unnest(entries.answer)
            from request
            inner join entries using (request_key)
            where entries.answer.error is null or not request.is_unresolved
        {%- endset -%}
        {% do run_query(found_answers) %}
        {% do heterqa.store_answers(target_relation, found) %}
    {%- endif -%}
{%- endmacro %}


{#-
    Answers are kept over builds and versions: a column that is new is empty for old answers, one
    that is gone for new ones. Raises an error where a column changed its type.
-#}
{% macro adopt_columns(target_relation, requests, answered) -%}
    {%- set compared -%}
        with stored as (select * from (describe {{ target_relation }})),

        wanted as (select * from (describe {{ answered }} from {{ requests }}))

        select
            column_name,
            wanted.column_type as wanted_type,
            stored.column_type as stored_type,
        from wanted
        left join stored using (column_name)
        where stored.column_type is distinct from wanted.column_type
        order by column_name
    {%- endset -%}
    {%- for column in run_query(compared).rows -%}
        {%- if column[2] is not none -%}
            {{ exceptions.raise_compiler_error(
                "the stored answers of " ~ target_relation ~ " have " ~ column[0] ~ " as " ~ column[2]
                ~ ", this version as " ~ column[1] ~ ": drop that table in " ~ target.path
                ~ " to ask anew, the others keep theirs") }}
        {%- endif -%}
        {% do run_query('alter table ' ~ target_relation ~ ' add column ' ~ adapter.quote(column[0])
            ~ ' ' ~ column[1]) %}
    {%- endfor -%}
{%- endmacro %}
