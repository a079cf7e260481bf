{#-
    The key of a request: a hash of the role's signature (backend, model, parameters, prompt version)
    and of the whole input, so that whatever changes the answer asks again. task: which of the
    role's tasks it is, for roles that have several.
-#}
{% macro request_key(role, columns, task='') -%}
    md5(to_json([
        model_signature('{{ role }}', '{{ task }}'), {{ columns | join('::varchar, ') }}::varchar
    ])::varchar)
{%- endmacro %}


{#- The request key of a vector: of a `document`, which is searched, or a `query`. -#}
{% macro vector_key(purpose, content) -%}
    {{ request_key('text_embedder', [content], task=purpose) }}
{%- endmacro %}
