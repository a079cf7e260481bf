{#- The schema of a model is its folder's, with no target prefix: analysts type `release.queries`. -#}
{% macro generate_schema_name(custom_schema_name, node) -%}
    {{ (custom_schema_name or target.schema) | trim }}
{%- endmacro %}


{#- One environment setting as a SQL literal. name: 'seed' or 'questions'. -#}
{% macro setting(name) -%}
    {%- set defaults = {'seed': '7', 'questions': '100'} -%}
    {%- set text = env_var('HETERQA_' ~ name | upper, defaults[name]) | trim -%}
    {%- if modules.re.fullmatch('[0-9]+', text) is none -%}
        {{ exceptions.raise_compiler_error(
            "HETERQA_" ~ name | upper ~ " is '" ~ text ~ "': give a whole number, for example "
            ~ defaults[name]) }}
    {%- endif -%}
    {{ text | int }}
{%- endmacro %}


{#-
    The questions, or the answers, to evaluate: those of this build, or those of the release that
    HETERQA_RELEASE names. built, imported: names of models with the same columns.
-#}
{% macro evaluated(built, imported) -%}
    {{ ref(imported if env_var('HETERQA_RELEASE', '') else built) }}
{%- endmacro %}
