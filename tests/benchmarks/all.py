"""Every benchmark, one after the other, so that no two share the machine."""

import append
import cell_cost
import cli_start
import frames
import mutation
import query
import scan
import seal
import verify_claims
import verify_store
import whole_run


def main():
    for script in (
        cli_start, verify_claims, mutation, scan, verify_store, whole_run, cell_cost, frames, query, append, seal,
    ):  # fmt: skip
        print(f"\n## {script.__name__}")
        script.main()


if __name__ == "__main__":
    main()
