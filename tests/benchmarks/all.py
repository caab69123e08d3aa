"""Every benchmark, one after the other, so that no two share the machine."""

import cell_cost
import cli_start
import verify_claims
import whole_run


def main():
    for script in (cli_start, verify_claims, whole_run, cell_cost):
        print(f"\n## {script.__name__}")
        script.main()


if __name__ == "__main__":
    main()
