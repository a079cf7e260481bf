{% macro generate_schema_name(custom_schema_name, node) -%}{{ custom_schema_name or 'main' }}{%- endmacro %}
