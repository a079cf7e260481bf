-- One row per input file of the build: its lines, its size and the hash of its content.
with inputs as (
    select unnest(files, recursive := true)
    from read_json(
        getvariable('build')['input_files'], format = 'unstructured',
        columns = {
            'files': 'struct(
                name varchar, lines bigint, blank_lines bigint, size bigint, sha256 varchar
            )[]'
        }
    )
),

final as (
    select
        name as file,
        lines as line_count,
        blank_lines as blank_line_count,
        size as size_bytes,
        sha256,
    from inputs
)

select * from final
