"""python -m sample_city --out DIR --truth DIR"""

import argparse
import sys
from pathlib import Path

from . import DEFAULT_SEED, generate


def main() -> int:
    """Generates the city; 2 with one sentence on stderr when it cannot."""
    parser = argparse.ArgumentParser(prog="sample_city", description="Generate the sample city.")
    parser.add_argument("--out", type=Path, required=True, help="folder of the collection")
    parser.add_argument("--truth", type=Path, required=True, help="folder of the planted truth")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED)
    parser.add_argument("--records", type=int, default=400)
    parser.add_argument("--users", type=int, default=200)
    parser.add_argument("--texts", type=int, default=4000)
    parser.add_argument("--photos", type=int, default=800)
    options = parser.parse_args()
    try:
        generate(
            options.out,
            options.truth,
            seed=options.seed,
            records=options.records,
            users=options.users,
            texts=options.texts,
            photos=options.photos,
        )
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
