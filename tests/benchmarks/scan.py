"""Every number of a page found and read: a megabyte with ten thousand numbers, and input made to be slow."""

import random
import re
import time

from benchctl.quantities.numerals import scan

SIZE = 1_000_000
NUMBERS = 10_000
HOSTILE = 100_000
WORDS = re.findall(
    r"\w+",
    "the agent reads files and answers questions about callers with tools over repositories while median latency"
    " stays below what a plain search needs for most of them because the index holds symbols and edges",
)
FLOOR = re.compile(r"\d")
REPEATED = (
    "1",
    "1,",
    "1.",
    "1 ",
    "(",
    " ",
    "one of ",
    "hundred ",
    "-1",
    "\u20132",
    "1/",
    "9.79(22)",
    "](",
    "<a b='",
    "\u00bd",
    "\u4e09",
)
TIMES = 5


def number(random_):
    return random_.choice(
        [
            f"{random_.uniform(1, 9):.1f}\u00d7", f"{random_.randrange(1, 48)} of its 48", f"{random_.uniform(0, 99):.1f} %",
            f"${random_.uniform(0, 2):.3f}", f"{random_.randrange(1000, 99999):,} tokens", f"{random_.randrange(1, 9)}m 30s",
            "nine", f"~{random_.randrange(5, 50)} ms", f"p = .{random_.randrange(100, 999)}", "**2.5 s**",
        ]
    )  # fmt: skip


def table(random_, rows):
    head = "| arm | tokens | latency | score |\n|---|--:|--:|--:|\n"
    return head + "".join(
        f"| grep | {random_.randrange(1000, 99999):,} | {random_.uniform(1, 60):.1f} s | {random_.random():.3f} |\n"
        for _ in range(rows)
    )


def page(seed=7):
    """Return a page of about a megabyte with ten thousand numbers, some in sentences and some in tables."""
    random_ = random.Random(seed)
    blocks, numbers = [], 0
    while numbers < NUMBERS:
        if random_.random() < 0.2:
            rows = random_.randrange(5, 20)
            blocks.append(table(random_, rows))
            numbers += 3 * rows
        else:
            words = [random_.choice(WORDS) for _ in range(random_.randrange(60, 180))]
            for _ in range(4):
                words.insert(random_.randrange(len(words)), number(random_))
            blocks.append(" ".join(words).capitalize() + ".\n")
            numbers += 4
    text = "\n".join(blocks)
    return text + " ".join(WORDS) * ((SIZE - len(text)) // len(" ".join(WORDS)) if len(text) < SIZE else 0)


def cheapest(work):
    """Return the least processor time of several runs: noise only ever adds."""
    times = []
    for _ in range(TIMES):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


def main():
    text = page()
    floor = cheapest(lambda: sum(1 for _ in FLOOR.finditer(text)))
    cost = cheapest(lambda: scan(text))
    found = len(scan(text))
    print(f"{len(text) / 1e6:.2f} MB, {found:,} tokens")
    print(f"re.finditer of each digit    {floor * 1000:6.0f} ms CPU")
    print(
        f"scan                         {cost * 1000:6.0f} ms CPU  {cost / floor:.1f}x, {len(text) / 1e6 / cost:.1f} MB/s"
    )
    for unit in REPEATED:
        half, whole = (unit * (size // len(unit)) for size in (HOSTILE // 2, HOSTILE))
        first, second = (cheapest(lambda text=text: scan(text)) for text in (half, whole))
        print(
            f"{unit!r:12} x {HOSTILE // len(unit):7,}       {second * 1000:6.0f} ms CPU  {second / first:.1f}x of half as much"
        )


if __name__ == "__main__":
    main()
