"""One row per query of the recovery and entry that is among the nearest, in numbers.

For each query and source, the entries of the records are searched that recovery_pairs names for the
query's claim: those with known values, or those with unknown ones, as the query says.
Python only multiplies the vectors, block by block: recovery_queries and recovery_entries say what
is searched, and recovery_hits puts ids in place of the numbers.
"""

import pyarrow as pa

from udfs.search.nearest import nearest, pack_allowed
from udfs.search.vectors import read_blocks, read_pairs, read_vectors
from udfs.warehouse.settings import Settings


def model(dbt, session):
    queries = dbt.ref("recovery_queries")
    entries = dbt.ref("recovery_entries")
    pairs = dbt.ref("recovery_pairs")
    passages = dbt.ref("entry_vectors")

    (record_count,) = pairs.aggregate("count(distinct record_id)").fetchone()
    records = entries.select("record_id, record_number").distinct()
    numbered_pairs = pairs.join(queries, "claim_id, is_known").join(records, "record_id")
    vectors = read_vectors(queries.order("query_number").select("vector"))
    allowed = pack_allowed(
        read_pairs(numbered_pairs.select("query_number, record_number")),
        query_count=len(vectors),
        group_count=record_count,
    )
    found = []
    for source in ("text", "photo"):
        searched = passages.join(entries.filter(f"source = '{source}'"), "entry_id")
        hits = nearest(
            vectors,
            read_blocks(searched.select("vector, entry_number, passage_number, record_number")),
            dbt.config.meta_get("recovery_depth"),
            allowed,
            threads=Settings.from_env().threads,
            memory_mb=dbt.config.meta_get("search_memory_mb"),
        )
        names = ["query_number", "entry_number", "passage_number", "similarity"]
        found.append(pa.table(list(hits), names=names))
    return pa.concat_tables(found)
