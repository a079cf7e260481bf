-- Models outside the quality room that read the planted truth, or a table of the quality room.
{%- set readers = [] %}
{%- if execute %}
{%- for node in graph.nodes.values() if node.resource_type == 'model' %}
{%- if '/quality/' not in node.original_file_path %}
{%- if modules.re.search('truth[_/]', node.raw_code) %}
{%- do readers.append([node.name, 'a truth file']) %}
{%- endif %}
{%- for parent in node.depends_on.nodes if '/quality/' in graph.nodes[parent].original_file_path %}
{%- do readers.append([node.name, graph.nodes[parent].name]) %}
{%- endfor %}
{%- endif %}
{%- endfor %}
{%- endif %}
select
    readers.model,
    readers.reads,
from (
    values
    ('', '')
    {%- for model, reads in readers %}
    , ('{{ model }}', '{{ reads }}')
    {%- endfor %}
) as readers (model, reads)
where readers.model != ''
