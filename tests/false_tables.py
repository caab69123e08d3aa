"""Tables with one number that the others of the table rule out: what it is, and which finding says so."""

FALSE_TABLES = [
    # the number, the finding, the table
    ("143", "total-differs", """
| arm | cells | answered |
|---|--:|--:|
| grep | 48 | 44 |
| graph | 48 | 45 |
| hybrid | 48 | 48 |
| **Total** | **143** | **137** |
"""),
    ("138", "total-differs", """
| arm | cells | answered |
|---|--:|--:|
| grep | 48 | 44 |
| graph | 48 | 45 |
| hybrid | 48 | 48 |
| Total | 144 | 138 |
"""),
    ("4.5", "total-differs", """
| run | seconds |
|---|--:|
| first | 1.3 |
| second | 2.4 |
| third | 0.4 |
| total | 4.5 |
"""),
    ("$4.71", "total-differs", """
| agent | cost |
|---|--:|
| claude | $1.20 |
| codex | $2.31 |
| pi | $0.20 |
| sum | $4.71 |
"""),
    ("0.97", "total-differs", """
| class | questions | score |
|---|--:|--:|
| lookup | 4 | 0.95 |
| structural | 4 | 0.81 |
| abstain | 8 | 0.62 |
| overall | 16 | 0.97 |
"""),
    ("0.59", "total-differs", """
| repo | F1 |
|---|--:|
| click | 0.81 |
| jinja2 | 0.62 |
| all repos | 0.59 |
"""),
    ("109", "total-differs", """
| arm | n | failed |
|---|--:|--:|
| grep | 36 | 1 |
| index | 36 | 0 |
| hybrid | 36 | 2 |
| Σ | 109 | 3 |
"""),
    ("37", "total-differs", """
| class | callers |
|---|--:|
| lookup | 10 |
| structural | 12 |
| abstain | 14 |
| total | 37 |
"""),
    ("148,558", "total-differs", """
| arm | tokens |
|---|--:|
| grep | 69,164 |
| graph | 77,394 |
| total | 148,558 |
"""),
    ("31", "total-differs", """
| repo | class | cells |
|---|---|--:|
| click | lookup | 12 |
| click | abstain | 6 |
| click | total | 18 |
| jinja2 | lookup | 9 |
| jinja2 | abstain | 3 |
| jinja2 | total | 12 |
| total | | 31 |
"""),
    ("13", "total-differs", """
| repo | class | cells |
|---|---|--:|
| click | lookup | 12 |
| click | abstain | 6 |
| click | total | 18 |
| jinja2 | lookup | 9 |
| jinja2 | abstain | 3 |
| jinja2 | total | 13 |
"""),
    ("99 %", "total-differs", """
| tool | calls | share |
|---|--:|--:|
| grep | 61 | 42.4 % |
| read | 55 | 38.2 % |
| query | 28 | 19.4 % |
| total | 144 | 99 % |
"""),
    ("152", "total-differs", """
| set-up | runs | calls |
|---|--:|--:|
| one | 20 | 61 |
| two | 20 | 55 |
| three | 20 | 35 |
| all | 60 | 152 |
"""),
    ("0.851", "average-differs", """
| repo | grep | graph |
|---|--:|--:|
| click | 0.812 | 0.875 |
| jinja2 | 0.640 | 0.655 |
| mkdocs | 0.964 | 0.990 |
| **mean** | 0.805 | 0.851 |
"""),
    ("0.89", "average-differs", """
| repo | grep |
|---|--:|
| click | 0.81 |
| jinja2 | 0.64 |
| mkdocs | 0.96 |
| average | 0.89 |
"""),
    ("0.99", "average-differs", """
| repo | n | grep |
|---|--:|--:|
| click | 12 | 0.81 |
| jinja2 | 20 | 0.64 |
| mkdocs | 8 | 0.96 |
| mean | 40 | 0.99 |
"""),
    ("18.4", "average-differs", """
| run | wall (s) |
|---|--:|
| 1 | 17.2 |
| 2 | 16.9 |
| 3 | 18.4 |
| median | 18.4 |
"""),
    ("1.64×", "average-differs", """
| benchmark | speedup |
|---|--:|
| chaos | 1.21× |
| float | 1.08× |
| nbody | 2.40× |
| geometric mean | 1.64× |
"""),
    ("16.0", "average-differs", """
| arm | median (s) |
|---|--:|
| grep | 17.2 |
| graph | 16.9 |
| max | 16.0 |
"""),
    ("17.9", "average-differs", """
| arm | median (s) |
|---|--:|
| grep | 17.2 |
| graph | 16.9 |
| minimum | 17.9 |
"""),
    ("78,394", "parts-differ", """
| arm | input | output | total |
|---|--:|--:|--:|
| grep | 65,120 | 4,044 | 69,164 |
| graph | 71,004 | 6,390 | 78,394 |
| hybrid | 130,000 | 9,810 | 139,810 |
"""),
    ("49", "parts-differ", """
| arm | ok | failed | n |
|---|--:|--:|--:|
| grep | 44 | 4 | 48 |
| graph | 45 | 3 | 48 |
| hybrid | 46 | 2 | 49 |
| index | 41 | 7 | 48 |
"""),
    ("79.1", "parts-differ", """
| arm | input (k) | output (k) | total (k) |
|---|--:|--:|--:|
| grep | 65.1 | 4.0 | 69.1 |
| graph | 71.0 | 6.4 | 79.1 |
| hybrid | 130.0 | 9.8 | 139.8 |
"""),
    ("75.4", "parts-differ", """
| model | math | code | chat | average |
|---|--:|--:|--:|--:|
| alpha | 71.2 | 64.1 | 80.3 | 71.9 |
| beta | 69.0 | 70.5 | 77.7 | 75.4 |
| gamma | 55.5 | 60.2 | 71.1 | 62.3 |
"""),
    ("12.9", "parts-differ", """
| case | setup (s) | run (s) | total (s) |
|---|--:|--:|--:|
| a | 1.2 | 10.4 | 11.6 |
| b | 1.4 | 11.1 | 12.9 |
| c | 1.3 | 20.6 | 21.9 |
"""),
    ("90 %", "share-differs", """
| arm | answered | answered % |
|---|--:|--:|
| grep | 44 of 48 | 92 % |
| graph | 45 of 48 | 90 % |
| hybrid | 48 of 48 | 100 % |
"""),
    ("93 %", "share-differs", """
| arm | answered | % |
|---|--:|--:|
| grep | 44 of 48 | 93 % |
"""),
    ("98.8 %", "share-differs", """
| arm | answered | n | answered % |
|---|--:|--:|--:|
| grep | 44 | 48 | 91.7 % |
| graph | 45 | 48 | 98.8 % |
| hybrid | 46 | 48 | 95.8 % |
"""),
    ("0.971", "share-differs", """
| arm | answered | n | answer rate |
|---|--:|--:|--:|
| grep | 44 | 48 | 0.971 |
| graph | 45 | 48 | 0.938 |
| hybrid | 41 | 48 | 0.854 |
"""),
    ("86.1", "share-differs", """
| class | passed / n | pass rate (%) |
|---|--:|--:|
| lookup | 31/36 | 86.1 |
| structural | 30/36 | 86.1 |
| abstain | 20/36 | 55.6 |
"""),
    ("5.2 %", "share-differs", """
| arm | answered | n | failed % |
|---|--:|--:|--:|
| grep | 44 | 48 | 8.3 % |
| graph | 45 | 48 | 5.2 % |
| hybrid | 46 | 48 | 4.2 % |
| index | 40 | 48 | 16.7 % |
"""),
    ("42.4 %", "share-differs", """
| tool | share of total |
|---|--:|
| grep | 42.4 % |
| read | 38.2 % |
| query | 21.4 % |
"""),
    ("38.9 %", "share-differs", """
| tool | calls | share |
|---|--:|--:|
| grep | 61 | 42.4 % |
| read | 55 | 38.9 % |
| query | 20 | 13.9 % |
| explain | 8 | 5.6 % |
| total | 144 | 100 % |
"""),
    ("2.20×", "ratio-differs", """
| arm | tokens | vs grep |
|---|--:|--:|
| grep | 69,164 | 1.00× |
| graph | 77,394 | 1.12× |
| hybrid | 139,810 | 2.20× |
"""),
    ("1.01×", "ratio-differs", """
| arm | score | tokens | wall (s) | tokens × |
|---|--:|--:|--:|--:|
| grep | 0.81 | 69,164 | 17.2 | 1.00× |
| graph | 0.85 | 77,394 | 31.4 | 1.12× |
| hybrid | 0.91 | 139,810 | 40.0 | 2.02× |
| index | 0.80 | 64,002 | 12.1 | 1.01× |
"""),
    ("7.5×", "ratio-differs", """
| build | wall | speedup |
|---|--:|--:|
| baseline | 97 s | 1.0× |
| cached | 17 s | 7.5× |
| parallel | 31 s | 3.1× |
| both | 11 s | 8.8× |
"""),
    ("−30 %", "ratio-differs", """
| version | time (ms) | change |
|---|--:|--:|
| 1.0 | 120 | — |
| 1.1 | 96 | −20 % |
| 1.2 | 90 | −30 % |
| 1.3 | 81 | −32 % |
"""),
    ("+10 %", "ratio-differs", """
| file | before | after | change |
|---|--:|--:|--:|
| a.js | 120 KB | 96 KB | −20 % |
| b.js | 40 KB | 36 KB | +10 % |
| c.js | 75 KB | 60 KB | −20 % |
| d.js | 80 KB | 50 KB | −38 % |
"""),
    ("36 %", "ratio-differs", """
| task | without | with | reduction |
|---|--:|--:|--:|
| A | 9.42 | 5.27 | 44 % |
| B | 8.10 | 6.00 | 36 % |
| C | 12.00 | 3.00 | 75 % |
"""),
    ("+0.035", "ratio-differs", """
| arm | F1 | Δ |
|---|--:|--:|
| grep | 0.768 | — |
| index | 0.821 | +0.035 |
| hybrid | 1.000 | +0.232 |
| graph | 0.912 | +0.144 |
"""),
    ("1.05×", "ratio-differs", """
| agent | arm | tokens | vs grep |
|---|---|--:|--:|
| claude | grep | 69,164 | 1.00× |
| claude | graph | 77,394 | 1.12× |
| codex | grep | 41,200 | 1.00× |
| codex | graph | 61,800 | 1.05× |
| pi | grep | 20,000 | 1.00× |
| pi | graph | 25,000 | 1.25× |
"""),
    ("1.5", "ratio-differs", """
| metric | grep | graph | ratio |
|---|--:|--:|--:|
| score | 0.81 | 0.85 | 1.05 |
| content tokens | 69,164 | 77,394 | 1.12 |
| wall time (s) | 17.2 | 31.4 | 1.83 |
| calls | 12.0 | 14.1 | 1.5 |
"""),
    ("130 %", "ratio-differs", """
| arm | cost | % of baseline |
|---|--:|--:|
| grep | $0.130 | 100 % |
| graph | $0.091 | 70 % |
| hybrid | $0.208 | 130 % |
| index | $0.117 | 90 % |
"""),
    ("68.2", "rank-differs", """
| rank | model | score |
|--:|---|--:|
| 1 | alpha | 71.9 |
| 2 | beta | 68.2 |
| 3 | gamma | 70.4 |
| 4 | delta | 66.0 |
| 5 | epsilon | 61.5 |
"""),
    ("**77,394**", "bold-differs", """
| arm | F1 ↑ | tokens ↓ | wall (s) ↓ |
|---|--:|--:|--:|
| grep | 0.768 | 69,164 | **17.2** |
| graph | 0.821 | **77,394** | 31.4 |
| hybrid | **1.000** | 139,810 | 40.1 |
"""),
]  # fmt: skip
