"""Tables as true pages print them: no check of a table's own arithmetic may say a word of any of them."""

TRUE_TABLES = {
    "a total of counts": """
| arm | cells | answered | failed |
|---|--:|--:|--:|
| grep | 48 | 44 | 4 |
| graph | 48 | 45 | 3 |
| hybrid | 48 | 48 | 0 |
| **Total** | **144** | **137** | **7** |
""",
    "a total of rounded numbers": """
| phase | seconds |
|---|--:|
| first | 1.3 |
| second | 2.4 |
| third | 0.4 |
| total | 4.2 |
""",
    "a total and an overall score": """
| class | questions | score |
|---|--:|--:|
| lookup | 4 | 0.95 |
| structural | 4 | 0.81 |
| abstain | 8 | 0.62 |
| total | 16 | 0.75 |
""",
    "an overall of weighted means": """
| repo | n | F1 |
|---|--:|--:|
| click | 36 | 0.81 |
| jinja2 | 12 | 0.62 |
| overall | 48 | 0.76 |
""",
    "an average weighted by n": """
| repo | n | F1 |
|---|--:|--:|
| click | 36 | 0.81 |
| jinja2 | 12 | 0.61 |
| mean | 48 | 0.76 |
""",
    "a plain mean": """
| repo | grep | graph |
|---|--:|--:|
| click | 0.812 | 0.875 |
| jinja2 | 0.640 | 0.655 |
| mkdocs | 0.964 | 0.990 |
| **mean** | 0.805 | 0.840 |
""",
    "a mean of integers": """
| query | ms |
|---|--:|
| a | 13 |
| b | 14 |
| c | 14 |
| average | 13.7 |
""",
    "a geometric mean of ratios": """
| benchmark | speedup |
|---|--:|
| chaos | 1.21× |
| float | 1.08× |
| nbody | 2.40× |
| geometric mean | 1.46× |
""",
    "times and their geometric mean": """
| benchmark | old (ms) | new (ms) | speedup |
|---|--:|--:|--:|
| chaos | 62.0 | 51.2 | 1.21× |
| float | 80.1 | 74.2 | 1.08× |
| nbody | 96.0 | 40.0 | 2.40× |
| Geomean | 78.1 | 53.4 | 1.46× |
""",
    "a median": """
| run | wall (s) |
|---|--:|
| 1 | 17.2 |
| 2 | 16.9 |
| 3 | 18.4 |
| median | 17.2 |
""",
    "minimum and maximum over cells": """
| arm | median (s) |
|---|--:|
| grep | 17.2 |
| graph | 16.9 |
| min | 9.1 |
| max | 120.4 |
""",
    "statistics row by row": """
| | grep | graph |
|---|--:|--:|
| n | 48 | 48 |
| mean | 0.81 | 0.85 |
| median | 0.90 | 0.91 |
| sd | 0.21 | 0.19 |
| min | 0.10 | 0.00 |
| max | 1.00 | 1.00 |
""",
    "statistics with a total": """
| | tokens |
|---|--:|
| median | 69,164 |
| p90 | 120,400 |
| total | 3,412,907 |
""",
    "metrics row by row": """
| metric | grep | graph | ratio |
|---|--:|--:|--:|
| score | 0.81 | 0.85 | 1.05 |
| content tokens | 69,164 | 77,394 | 1.12 |
| wall time (s) | 17.2 | 31.4 | 1.83 |
| cost | $0.13 | $0.16 | 1.2 |
""",
    "total tokens is a row of its own": """
| | grep | graph |
|---|--:|--:|
| input tokens | 65,120 | 71,004 |
| output tokens | 4,044 | 6,390 |
| total tokens | 69,164 | 77,394 |
""",
    "walls that overlap": """
| job | wall (s) |
|---|--:|
| left | 30.2 |
| right | 40.1 |
| total | 45.0 |
""",
    "phases of which some are not listed": """
| phase | time (s) |
|---|--:|
| parse | 1.2 |
| compile | 3.4 |
| total | 5.5 |
""",
    "a missing cell": """
| arm | cost | tokens |
|---|--:|--:|
| grep | $1.20 | 1,200 |
| graph | n/a | 2,400 |
| total | $4.80 | 3,600 |
""",
    "an arm called all": """
| arm | score | tokens |
|---|--:|--:|
| grep | 0.81 | 69,164 |
| graph | 0.85 | 77,394 |
| all | 0.91 | 91,002 |
""",
    "combined is an arm, too": """
| set-up | F1 | seconds |
|---|--:|--:|
| search | 0.74 | 12 |
| graph | 0.71 | 19 |
| combined | 0.79 | 25 |
""",
    "shares with rounding": """
| outcome | share |
|---|--:|
| right | 33 % |
| wrong | 33 % |
| other | 33 % |
""",
    "shares of a total": """
| tool | calls | share of total |
|---|--:|--:|
| grep | 61 | 42.4 % |
| read | 55 | 38.2 % |
| query | 28 | 19.4 % |
| total | 144 | 100 % |
""",
    "shares that are no whole": """
| arm | share of cells with a call |
|---|--:|
| grep | 98 % |
| graph | 37 % |
| hybrid | 54 % |
""",
    "answered and its percentage": """
| arm | answered | answered % |
|---|--:|--:|
| grep | 44 of 48 | 92 % |
| graph | 45 of 48 | 94 % |
| hybrid | 48 of 48 | 100 % |
""",
    "answered, n and a rate": """
| arm | answered | n | rate |
|---|--:|--:|--:|
| grep | 44 | 48 | 91.7 % |
| graph | 45 | 48 | 93.8 % |
| hybrid | 48 | 48 | 100.0 % |
""",
    "a rate as a fraction": """
| arm | answered | n | answer rate |
|---|--:|--:|--:|
| grep | 44 | 48 | 0.917 |
| graph | 45 | 48 | 0.938 |
""",
    "a macro average beside its counts": """
| arm | solved | solve rate (macro) |
|---|--:|--:|
| grep | 31 / 48 | 61.2 % |
| graph | 36 / 48 | 77.9 % |
| hybrid | 40 / 48 | 80.0 % |
""",
    "a failure rate": """
| arm | answered | n | failed % |
|---|--:|--:|--:|
| grep | 44 | 48 | 8.3 % |
| graph | 45 | 48 | 6.3 % |
| hybrid | 46 | 48 | 4.2 % |
""",
    "ratios against a printed baseline": """
| arm | tokens | vs grep |
|---|--:|--:|
| grep | 69,164 | 1.00× |
| graph | 77,394 | 1.12× |
| hybrid | 139,810 | 2.02× |
""",
    "speed-ups against a printed baseline": """
| build | wall | speedup |
|---|--:|--:|
| baseline | 97 s | 1.0× |
| cached | 17 s | 5.7× |
| parallel | 31 s | 3.1× |
""",
    "changes in percent": """
| version | time (ms) | change |
|---|--:|--:|
| 1.0 | 120 | — |
| 1.1 | 96 | −20 % |
| 1.2 | 90 | −25 % |
""",
    "changes in a fraction of the baseline": """
| arm | cost | % of baseline |
|---|--:|--:|
| grep | $0.130 | 100 % |
| graph | $0.091 | 70 % |
| hybrid | $0.208 | 160 % |
""",
    "before, after, change": """
| file | before | after | change |
|---|--:|--:|--:|
| a.js | 120 KB | 96 KB | −20 % |
| b.js | 40 KB | 44 KB | +10 % |
| c.js | 75 KB | 60 KB | −20 % |
""",
    "a reduction": """
| task | without | with | reduction |
|---|--:|--:|--:|
| A | 9.42 | 5.27 | 44 % |
| B | 8.10 | 6.00 | 26 % |
| C | 12.00 | 3.00 | 75 % |
""",
    "medians of ratios": """
| arm | median tokens | median ratio to grep |
|---|--:|--:|
| grep | 69,164 | 1.00× |
| graph | 77,394 | 1.21× |
| hybrid | 139,810 | 1.74× |
| index | 64,002 | 0.99× |
""",
    "paired ratios near those of the medians": """
| arm | wall (s) | paired ratio |
|---|--:|--:|
| grep | 17.2 | 1.0× |
| graph | 19.0 | 1.1× |
| hybrid | 31.1 | 1.7× |
| index | 16.0 | 0.9× |
""",
    "ratios of medians that happen to be near": """
| arm | wall (s) | vs grep |
|---|--:|--:|
| grep | 17.2 | 1.0× |
| graph | 19.0 | 1.1× |
| hybrid | 31.1 | 1.7× |
""",
    "deltas of a score": """
| arm | F1 | Δ |
|---|--:|--:|
| grep | 0.768 | — |
| index | 0.821 | +0.053 |
| hybrid | 1.000 | +0.232 |
""",
    "deltas in points": """
| model | accuracy | Δ vs base |
|---|--:|--:|
| base | 61.2 % | |
| tuned | 64.9 % | +3.7 |
| large | 70.4 % | +9.2 |
""",
    "a baseline a group": """
| agent | arm | tokens | vs grep |
|---|---|--:|--:|
| claude | grep | 69,164 | 1.00× |
| claude | graph | 77,394 | 1.12× |
| codex | grep | 41,200 | 1.00× |
| codex | graph | 61,800 | 1.50× |
| pi | grep | 20,000 | 1.00× |
| pi | graph | 25,000 | 1.25× |
""",
    "input and output": """
| arm | input | output | total |
|---|--:|--:|--:|
| grep | 65,120 | 4,044 | 69,164 |
| graph | 71,004 | 6,390 | 77,394 |
| hybrid | 130,000 | 9,810 | 139,810 |
""",
    "medians do not add up": """
| arm | input | output | total |
|---|--:|--:|--:|
| grep | 65,120 | 4,044 | 69,900 |
| graph | 71,004 | 6,390 | 77,100 |
| hybrid | 130,000 | 9,810 | 140,233 |
""",
    "outcomes and n": """
| arm | ok | failed | void | n |
|---|--:|--:|--:|--:|
| grep | 44 | 3 | 1 | 48 |
| graph | 45 | 3 | 0 | 48 |
| hybrid | 46 | 2 | 0 | 48 |
""",
    "an average column": """
| model | math | code | chat | average |
|---|--:|--:|--:|--:|
| alpha | 71.2 | 64.1 | 80.3 | 71.9 |
| beta | 69.0 | 70.5 | 77.7 | 72.4 |
| gamma | 55.5 | 60.2 | 71.1 | 62.3 |
""",
    "a leaderboard": """
| rank | model | score | cost |
|--:|---|--:|--:|
| 1 | alpha | 71.9 | $4.10 |
| 2 | beta | 70.4 | $1.20 |
| 3 | gamma | 70.4 | $0.80 |
| 4 | delta | 66.0 | $2.20 |
| 5 | epsilon | 61.5 | $0.10 |
""",
    "a leaderboard by something else": """
| rank | model | score | votes |
|--:|---|--:|--:|
| 1 | alpha | 71.9 | 410 |
| 2 | beta | 72.4 | 1,200 |
| 3 | gamma | 64.4 | 80 |
| 4 | delta | 66.0 | 220 |
| 5 | epsilon | 61.5 | 100 |
""",
    "the best of each column bold": """
| arm | F1 ↑ | tokens ↓ | wall (s) ↓ |
|---|--:|--:|--:|
| grep | 0.768 | **69,164** | **17.2** |
| graph | 0.821 | 77,394 | 31.4 |
| hybrid | **1.000** | 139,810 | 40.1 |
""",
    "our own row bold": """
| tool | F1 | seconds | tokens |
|---|--:|--:|--:|
| rg | 0.768 | 1.2 | 900 |
| **ours** | **0.801** | **4.5** | **1,200** |
| ag | 0.821 | 2.2 | 1,000 |
""",
    "best and second best": """
| tool | F1 | seconds | tokens |
|---|--:|--:|--:|
| rg | 0.768 | **1.2** | **900** |
| ours | **0.801** | 4.5 | 1,200 |
| ag | **0.801** | 2.2 | 1,000 |
""",
    "intervals in cells": """
| arm | score | wall (s) |
|---|--:|--:|
| grep | 0.768 [0.568, 0.893] | 17.2 ± 3.1 |
| index | 0.821 [0.603, 0.932] | 16.4 ± 2.2 |
| mean | 0.795 [0.601, 0.912] | 16.8 ± 2.0 |
""",
    "footnotes and daggers": """
| arm | cells | tokens |
|---|--:|--:|
| grep | 48 | 69,164[^1] |
| graph† | 47 | 77,394 |
| total | 95 | 146,558 |

[^1]: Without the floor.
""",
    "two header words alike": """
| arm | time (s) | time (s) |
|---|--:|--:|
| cold | 17.2 | 18.1 |
| warm | 9.1 | 9.3 |
| total | 26.3 | 27.4 |
""",
    "repositories are shared": """
| class | questions | repositories |
|---|--:|--:|
| lookup | 6 | 3 |
| structural | 6 | 3 |
| abstain | 4 | 2 |
| total | 16 | 3 |
""",
    "an excerpt": """
The five slowest of them:

| query | seconds |
|---|--:|
| q1 | 41.2 |
| q7 | 39.9 |
| q4 | 30.0 |
| total | 391.0 |
""",
    "of which": """
| what | cells |
|---|--:|
| failed | 9 |
| of which timeouts | 4 |
| answered | 39 |
| total | 48 |
""",
    "subtotals": """
| repo | class | cells |
|---|---|--:|
| click | lookup | 12 |
| click | abstain | 6 |
| click | total | 18 |
| jinja2 | lookup | 9 |
| jinja2 | abstain | 3 |
| jinja2 | total | 12 |
| total | | 30 |
""",
    "subtotals and a grand total": """
| item | USD |
|---|--:|
| runs | $12.40 |
| floors | $1.10 |
| subtotal | $13.50 |
| judge | $3.00 |
| regrade | $0.50 |
| total | $17.00 |
""",
    "a total above its parts": """
| outcome | cells |
|---|--:|
| all | 48 |
| failed | 3 |
| timed out | 1 |
""",
    "mixed units": """
| step | time |
|---|--:|
| index | 2.4 min |
| query | 31 s |
| total | 2.9 min |
""",
    "p-values": """
| repo | Δ | p |
|---|--:|--:|
| click | +0.05 | 0.21 |
| jinja2 | +0.07 | 0.09 |
| overall | +0.06 | 0.03 |
""",
    "percentiles": """
| arm | p50 (ms) | p99 (ms) |
|---|--:|--:|
| grep | 12 | 40 |
| graph | 15 | 55 |
| all | 13 | 52 |
""",
    "overall deltas with other weights": """
| repo | n | grep | graph | Δ |
|---|--:|--:|--:|--:|
| click | 30 | 0.80 | 0.82 | +0.02 |
| jinja2 | 6 | 0.50 | 0.53 | +0.03 |
| overall | 36 | 0.75 | 0.77 | +0.02 |
""",
    "threads and times": """
| threads | time (s) | speedup |
|--:|--:|--:|
| 1 | 40.0 | 1.0 |
| 2 | 21.0 | 1.9 |
| 4 | 11.8 | 3.4 |
| 8 | 7.3 | 5.5 |
""",
    "a wide table of several units": """
| library | stars | size | parse (MB/s) | memory | score | license |
|---|--:|--:|--:|--:|--:|---|
| alpha | 12,400 | 41 KB | 310 | 12 MB | 97 | MIT |
| beta | 3,100 | 9.5 KB | 220 | 7.5 MB | 88 | BSD |
| gamma | 870 | 112 KB | 640 | 31 MB | 71 | MIT |
""",
    "a table of settings": """
| setting | value |
|---|--:|
| max calls | 120 |
| total budget | $20 |
| repeats | 3 |
""",
    "versions and years": """
| version | year | total lines |
|---|--:|--:|
| 1.0 | 2019 | 12,000 |
| 2.0 | 2021 | 15,400 |
| 3.0 | 2024 | 16,100 |
""",
    "transposed questions": """
| question | grep | graph | hybrid |
|---|--:|--:|--:|
| q1 | 1.0 | 1.0 | 1.0 |
| q2 | 0.5 | 0.75 | 1.0 |
| q3 | 0.0 | 0.5 | 0.5 |
| mean | 0.50 | 0.75 | 0.83 |
""",
    "tokens in thousands": """
| arm | input (k) | output (k) | total (k) |
|---|--:|--:|--:|
| grep | 65.1 | 4.0 | 69.2 |
| graph | 71.0 | 6.4 | 77.4 |
| hybrid | 130.0 | 9.8 | 139.8 |
""",
    "user and system": """
| command | user | sys | total |
|---|--:|--:|--:|
| rg | 0.41 s | 0.12 s | 0.11 s |
| grep | 1.90 s | 0.08 s | 1.99 s |
| ag | 0.88 s | 0.31 s | 0.33 s |
""",
    "a weighted score": """
| criterion | weight | score |
|---|--:|--:|
| accuracy | 50 % | 8 |
| speed | 30 % | 6 |
| cost | 20 % | 9 |
| total | 100 % | 76 |
""",
    "half-even and half-up": """
| arm | seconds | vs grep |
|---|--:|--:|
| grep | 2.0 | 1.0 |
| graph | 2.5 | 1.2 |
| hybrid | 3.3 | 1.7 |
| index | 1.9 | 0.9 |
""",
    "only text": """
| arm | isolation | note |
|---|---|---|
| grep | yes | total |
| graph | no | mean |
""",
    "approximate totals": """
| repo | files |
|---|--:|
| click | ~120 |
| jinja2 | ~240 |
| total | ~400 |
""",
    "Elo ratings": """
| model | Elo | votes |
|---|--:|--:|
| alpha | 1287 | 10,200 |
| beta | 1251 | 9,800 |
| overall | 1500 | 20,000 |
""",
    "shares of what a column adds up to": """
| kind | Count | Ratio |
|---|--:|--:|
| deferred | 125,877,012 | 8.0 % |
| deopt | 18,758 | 0.0 % |
| hit | 1,438,541,913 | 91.9 % |
| miss | 1,530,000 | 0.1 % |
""",
    "shares of a little more than is listed": """
| opcode | count | share |
|---|--:|--:|
| LOAD_FAST | 187,631,585 | 74.1 % |
| RESUME | 37,440,140 | 14.8 % |
| POP_TOP | 12,377,019 | 4.9 % |
| LOAD_ATTR | 10,877,240 | 4.3 % |
| other opcodes | 4,200,968 | 1.7 % |
""",
    "shares of more than is listed": """
| failure | count | ratio |
|---|--:|--:|
| out of range | 51,700 | 58.1 % |
| dict subclass | 22,321 | 25.1 % |
| py simple | 14,297 | 16.1 % |
""",
}
"""What is special about it -> the table."""
