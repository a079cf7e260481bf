"""One row per claim and record with evidence: the probability that the claim is true.

The logistic model behind it is in udfs/search/calibrate.py, which also says how a hidden value has
no part in the model that judges it.
"""

from typing import Any

import pyarrow as pa

from udfs.search.calibrate import Pairs, Shrinkage, probabilities, read_matrix


def model(dbt: Any, session: Any) -> pa.Table:
    table = dbt.ref("recovery_inputs").order("claim_id, record_id").to_arrow_table()
    signals = [name for name in table.column_names if name.startswith("signal_")]
    pairs = Pairs(
        claims=table.column("claim_id").to_pylist(),
        fields=table.column("field").to_pylist(),
        signals=read_matrix(table, signals),
        net=read_matrix(table, ["net_weight"])[:, 0],
        is_true=read_matrix(table, ["known_value"])[:, 0].astype("int64"),
        fold=read_matrix(table, ["fold"])[:, 0].astype("int64"),
    )
    shrinkage = Shrinkage(
        strength=float(dbt.config.meta_get("strength")),
        claim=float(dbt.config.meta_get("claim_weight")),
        field=float(dbt.config.meta_get("field_weight")),
    )
    return pa.table(
        {
            "claim_id": table.column("claim_id"),
            "record_id": table.column("record_id"),
            "probability": pa.array(probabilities(pairs, shrinkage)),
        }
    )
