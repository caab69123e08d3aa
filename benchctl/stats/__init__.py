"""Samples in, summaries and comparisons out: the rules of the method, each where a reader can check it.

Pure and of the standard library alone. What a number assumes and which formula made it is said
beside it; what a sample cannot say is a note, never a guess.
"""

from __future__ import annotations

from benchctl.stats.compare import difference, mcnemar_exact, mcnemar_p, min_p_sign, paired_ratio
from benchctl.stats.describe import distinct, iqr, mean, median, quantile, sd, variance
from benchctl.stats.estimate import Estimate
from benchctl.stats.interval import interval_mean01, wilson
from benchctl.stats.sample import Observation, Sample, Scope

__all__ = [
    "Estimate",
    "Observation",
    "Sample",
    "Scope",
    "difference",
    "distinct",
    "interval_mean01",
    "iqr",
    "mcnemar_exact",
    "mcnemar_p",
    "mean",
    "median",
    "min_p_sign",
    "paired_ratio",
    "quantile",
    "sd",
    "variance",
    "wilson",
]
