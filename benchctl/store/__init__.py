"""Results that cannot be lost, faked or rewritten: journals while a run is open, sealed Parquet after.

An open run is a folder with `run.json` and journals: one a writer process, one
checksummed line an event, fsynced before it counts. Closing folds the journals
into Parquet and a manifest that names every file's sha256; nothing is written to
a closed run again but later generations beside it. Reading goes through DuckDB
with explicit files and an explicit schema, after the manifest has been verified.
"""
