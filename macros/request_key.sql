{#-
    The key of a request: a hash of the role's signature (backend, model, parameters, prompt version)
    and of the whole input, so that whatever changes the answer asks again.
-#}
{% macro request_key(role, columns) -%}
    md5(to_json([model_signature('{{ role }}'), {{ columns | join('::varchar, ') }}::varchar])::varchar)
{%- endmacro %}
