"""Why a number or an assertion is false: the run, the row, the question or the slip that explains it, and its interval."""
