{#- The schema of a model is its folder's, with no target prefix: analysts type `release.queries`. -#}
{% macro generate_schema_name(custom_schema_name, node) -%}
    {{ (custom_schema_name or target.schema) | trim }}
{%- endmacro %}


{#-
    One environment setting as a SQL literal. name: 'seed', or 'questions', which is null without a
    value.
-#}
{% macro setting(name) -%}
    {%- set default = {'seed': '7', 'questions': ''}[name] -%}
    {%- set text = env_var('HETERQA_' ~ name | upper, default) | trim -%}
    {%- if text == default == '' -%}
        null
    {%- elif modules.re.fullmatch('[0-9]+', text) is none -%}
        {{ exceptions.raise_compiler_error(
            "HETERQA_" ~ name | upper ~ " is '" ~ text ~ "': give a whole number, for example 7") }}
    {%- else -%}
        {{ text | int }}
    {%- endif -%}
{%- endmacro %}


{#-
    The questions, or the answers, to evaluate: those of this build, or those of the release that
    HETERQA_RELEASE names. built, imported: names of models with the same columns.
-#}
{% macro evaluated(built, imported) -%}
    {{ ref(imported if env_var('HETERQA_RELEASE', '') else built) }}
{%- endmacro %}
