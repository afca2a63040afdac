"""The engine against the independent referee: the same decks, the same decisions, compared after every one.

    python -m tests.differential --deals 1000000 --jobs 2 [--seed S] [--state FOLDER] [--presets NAME ...] [--restart]
    python -m tests.differential --partie NUMBER

The work is cut into chunks of `CHUNK_DEALS` deals; a chunk's parties follow from the seed and its number alone. After
every chunk the state is written, and a run that was stopped goes on from there, unless the sources of the engine, the
referee or this comparison have changed since. A difference is printed with everything needed to play it again, and the
exit code is then 1.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import os
import random
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from piquet_env.rules.cards import RANKS
from piquet_env.rules.jit import digest_sources
from piquet_env.rules.notation import format_record
from piquet_env.rules.state import Phase
from piquet_env.rules.variants import PRESETS, Rules
from tests.comparison import DEALER, LED, PHASE, TO_ACT, Entry, Mismatch, Table, words_of_ids
from tests.steering import Chooser, PartiePlan, draw_plan

ROOT = Path(__file__).resolve().parent.parent
CHUNK_DEALS = 500
MOST_MISMATCHES = 20

# -- events -----------------------------------------------------------------------------------------------------------

CATEGORIES = ("point", "sequence", "set")
AU_CENT_MOMENTS = (
    *("carte blanche", "point", "sequence", "set", "repique", "carte rouge"),
    *("lead", "capture", "last trick", "pique", "cards", "capot"),
)

REQUIRED = (
    *(f"carte blanche {what}" for what in ("elder", "younger", "both", "silent")),
    *("late carte blanche show", "carte blanche of younger after elder's exchange"),
    *(f"{bonus} {role}" for bonus in ("repique", "pique") for role in ("elder", "younger")),
    *("repique late", "both repique and pique actual", "pique through the ten for cards"),
    *(f"{category} equal {depth}" for category in ("point", "sequence") for depth in ("length", "end")),
    *(f"sunk {category} by {role}" for category in CATEGORIES for role in ("elder", "younger")),
    *(f"sunk further {category} by {role}" for category in ("sequence", "set") for role in ("elder", "younger")),
    *(f"undercall {category}" for category in CATEGORIES),
    *(f"partial undercall {category}" for category in CATEGORIES),
    *("good though equal or better", "equal with longer", "undercall lock binds", "undercall good against the cards"),
    *("superior to the call scored", "named among several equal"),
    *("capot elder", "capot younger", "cards divided"),
    *("leftovers turned up", "leftovers kept", "elder left cards", "younger left cards", "younger took none"),
    *(f"{rule}: tie {end}" for rule in ("two_deals", "seventh_deal") for end in ("decided", "drawn")),
    *("draw: tie drawn", "begun behind a tie", "rubicon lost", "rubicon saved"),
    *("carte rouge elder", "carte rouge younger"),
    *(f"au cent won at {moment}" for moment in AU_CENT_MOMENTS),
    *("au cent won at the end of the deal", "au cent tie goes on", "double game", "match au cent"),
    *("lead denied by its rank", "capture denied by its rank", "deals in_turn", "deals never shown", "deals forced"),
    *("deals of 36 cards", "deals with another elder_max", "partie chosen by the cut"),
    *(f"point of {length}" for length in range(3, 10)),
    *(f"sequence of {length}" for length in range(3, 10)),
    *("trio", "quatorze", "capot behind the ten", "both cartes blanches, elder's shown late"),
    *(f"preset {name}" for name in PRESETS),
)
NAME_OF_PRESET = {Rules.preset(name): name for name in PRESETS}
SEQUENCE_LENGTH = {3: 3, 4: 4, 15: 5, 16: 6, 17: 7, 18: 8, 19: 9}


def count_step(table: Table, action: int, events: Counter[str]) -> None:
    """Count what only the step itself tells, before it is taken."""
    cells, rules, words = table.engine.cells, table.rules, words_of_ids(table.rules.pack)[action]
    if cells[PHASE] == Phase.PLAY:
        card, led = action, cells[LED]
        if led < 0 and _is_denied(card, rules.lead_point_min_rank, rules.ranks):
            events["lead denied by its rank"] += 1
        captures = led >= 0 and card // rules.ranks == led // rules.ranks and card > led
        if captures and _is_denied(card, rules.capture_point_min_rank, rules.ranks):
            events["capture denied by its rank"] += 1
    elif words == "done" and table.referee.phase in ("declare sequence", "declare set"):
        category = table.referee.phase.split()[1]
        if table.referee.deal is not None and table.referee.deal.scored["younger"][category]:
            events[f"sunk further {category} by younger"] += 1
    elif words == "carte blanche" and rules.younger_cb_announce == "after_elder_exchange":
        events["carte blanche of younger after elder's exchange"] += cells[TO_ACT] == cells[DEALER]


def _is_denied(card: int, lowest: str, ranks: int) -> bool:
    return lowest != "any" and RANKS.index(lowest) > card % ranks + 9 - ranks


def count_partie(table: Table, events: Counter[str]) -> None:
    """Count what the end of a partie tells."""
    rules, referee = table.rules, table.referee
    deals = len(referee.ended)
    events.update(referee.events)
    events["deals"] += deals
    if rules in NAME_OF_PRESET:
        events[f"preset {NAME_OF_PRESET[rules]}"] += deals
    if rules.sinking == "partial":
        for category in CATEGORIES:
            events[f"partial undercall {category}"] += referee.events[f"undercall {category}"]
    shares = {
        "deals in_turn": rules.younger_declares == "in_turn",
        "deals never shown": rules.show_scored == "never",
        "deals forced": rules.sinking == "none",
        "deals of 36 cards": rules.pack == 36,
        "deals with another elder_max": rules.elder_max != (5 if rules.pack == 32 else 7),
    }
    for name, holds in shares.items():
        events[name] += deals * holds
    for end in referee.ended:
        _count_log(end.log, events)
        both = sum(kind == "carte blanche" for _, _, kind in end.log) == 2
        events["both cartes blanches, elder's shown late"] += both and rules.carte_blanche_show != "immediate"
    events["partie chosen by the cut"] += any(word.startswith("deal ") for word in table.words)
    if rules.form == "au_cent":
        events["match au cent"] += 1
    else:
        _count_result(table, events)


def _count_log(log: list[Entry], events: Counter[str]) -> None:
    """Count the values of the combinations scored, and what the order of the log tells."""
    before = ""
    for _, points, kind in log:
        if kind == "point":
            events[f"point of {points}"] += 1
        elif kind == "sequence":
            events[f"sequence of {SEQUENCE_LENGTH[points]}"] += 1
        elif kind == "set":
            events["trio" if points == 3 else "quatorze"] += 1
        elif kind == "capot":
            events["capot behind the ten"] += points == 30
        elif kind == "pique" and before == "cards":
            events["pique through the ten for cards"] += 1
        before = kind


def _count_result(table: Table, events: Counter[str]) -> None:
    """Count ties and the Rubicon."""
    rules, referee = table.rules, table.referee
    equal = referee.totals[0] == referee.totals[1]
    if table.start.deal_number > rules.deals:
        events["begun behind a tie"] += 1
    if referee.events["tie extended"] or equal:
        events[f"{rules.tie_break}: tie {'drawn' if equal else 'decided'}"] += 1
    if not equal:
        events["rubicon saved" if min(referee.totals) >= rules.rubicon_line else "rubicon lost"] += 1


# -- playing ----------------------------------------------------------------------------------------------------------


@dataclass
class Findings:
    """What some deals have shown."""

    deals: int = 0
    parties: int = 0
    steps: int = 0
    events: Counter[str] = field(default_factory=Counter)
    reports: list[str] = field(default_factory=list)

    def add(self, other: Findings) -> None:
        """Add what further deals have shown."""
        self.deals += other.deals
        self.parties += other.parties
        self.steps += other.steps
        self.events.update(other.events)
        self.reports += other.reports

    def missing(self, least: int) -> dict[str, int]:
        """The required events that were seen less often than `least`."""
        return {name: self.events[name] for name in REQUIRED if self.events[name] < least}


def play_partie(plan: PartiePlan) -> Findings:
    """Play one partie at both and compare; Mismatch tells a difference."""
    found = Findings(parties=1)
    table = Table(plan.rules, plan.start, plan.deck)
    chooser = Chooser(plan)
    try:
        while not table.over:
            action = chooser.choose(table.engine.cells, table.legal)
            count_step(table, action, found.events)
            table.apply(action)
            found.steps += 1
    except Mismatch:
        raise
    except Exception as error:
        error.add_note(table.mismatch("a crash").report)
        raise
    count_partie(table, found.events)
    found.deals = len(table.referee.ended)
    return found


def play_chunk(seed: int, chunk: int, presets: tuple[str, ...] = (), deals: int = CHUNK_DEALS) -> Findings:
    """Play parties until there are at least `deals` deals; they follow from the arguments alone."""
    rng = random.Random(f"{seed}/{chunk}")
    found = Findings()
    while found.deals < deals and len(found.reports) < MOST_MISMATCHES:
        partie_seed = rng.getrandbits(48)
        try:
            found.add(play_partie(draw_plan(partie_seed, presets)))
        except Mismatch as mismatch:
            found.reports.append(f"partie      {partie_seed}\n{mismatch.report}")
            found.deals += 1
    return found


def _play_job(job: tuple[int, int, tuple[str, ...]]) -> Findings:
    return play_chunk(*job)


# -- the run ----------------------------------------------------------------------------------------------------------


def digest_all() -> str:
    """A digest of the engine, the referee and the comparison: a run goes on only while all of them stand."""
    parts = [digest_sources(ROOT / "piquet_env" / "rules"), digest_sources(ROOT / "tests" / "reference")]
    for name in ("comparison", "steering", "differential"):
        parts.append(hashlib.sha256((ROOT / "tests" / f"{name}.py").read_bytes()).hexdigest())
    return hashlib.sha256("".join(parts).encode()).hexdigest()[:16]


@dataclass
class Run:
    """A run and where it stands; `chunks` have been played."""

    seed: int
    presets: tuple[str, ...]
    digest: str
    chunks: int = 0
    seconds: float = 0.0
    findings: Findings = field(default_factory=Findings)

    def save(self, file: Path) -> None:
        """Write the state; a reader sees the old state or the new one, never half of it."""
        file.parent.mkdir(parents=True, exist_ok=True)
        half = file.with_suffix(".tmp")
        data = {**vars(self), "findings": vars(self.findings)}
        half.write_text(json.dumps(data, indent=1), encoding="utf-8")
        os.replace(half, file)  # noqa: PTH105  (the one call whose name says what it promises)

    @classmethod
    def load(cls, file: Path) -> Run:
        """Read a state written by `save`."""
        data = json.loads(file.read_text(encoding="utf-8"))
        findings = data.pop("findings")
        findings["events"] = Counter(findings["events"])
        return cls(**{**data, "presets": tuple(data["presets"]), "findings": Findings(**findings)})


class RunRefused(Exception):
    """A state that this run cannot go on from; the message is for the user."""


def open_run(file: Path, seed: int, presets: tuple[str, ...], chunks: int, *, restart: bool) -> Run:
    """A new run, or the one in `file` if it has not come to its end."""
    fresh = Run(seed, presets, digest_all())
    if restart or not file.exists():
        return fresh
    try:
        old = Run.load(file)
    except (ValueError, KeyError, TypeError):
        raise RunRefused(f"{file} cannot be read as the state of a run") from None
    if old.chunks >= chunks:
        return fresh
    for name, mine, theirs in (
        ("sources of the engine, the referee or the comparison", fresh.digest, old.digest),
        ("seed", fresh.seed, old.seed),
        ("presets", fresh.presets, old.presets),
    ):
        if mine != theirs:
            raise RunRefused(f"{file} belongs to a run with other {name}; --restart begins anew")
    return old


@contextmanager
def _results(jobs: list[tuple[int, int, tuple[str, ...]]], processes: int) -> Iterator[Iterator[Findings]]:
    """The findings of the jobs in their order, played by one or more processes."""
    if processes == 1:
        yield map(_play_job, jobs)
        return
    context = multiprocessing.get_context("spawn")
    with context.Pool(processes, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN)) as pool:
        yield pool.imap(_play_job, jobs)


def play_run(run: Run, chunks: int, processes: int, file: Path) -> None:
    """Play what is left of a run, with progress and state after each chunk."""
    jobs = [(run.seed, chunk, run.presets) for chunk in range(run.chunks, chunks)]
    started, before, shown, resumed_at = time.monotonic(), run.seconds, 0.0, run.chunks
    with _results(jobs, processes) as results:
        for found in results:
            for report in found.reports:
                print(f"\n{report}\n", flush=True)
            run.findings.add(found)
            run.chunks += 1
            elapsed = time.monotonic() - started
            run.seconds = before + elapsed
            run.save(file)
            if elapsed - shown > (1 if sys.stdout.isatty() else 30) or run.chunks == chunks:
                shown = elapsed
                _show_progress(run, chunks, elapsed / (run.chunks - resumed_at))
            if len(run.findings.reports) >= MOST_MISMATCHES:
                print(f"{MOST_MISMATCHES} mismatches are enough", flush=True)
                return


def _show_progress(run: Run, chunks: int, seconds_a_chunk: float) -> None:
    left = round((chunks - run.chunks) * seconds_a_chunk)
    line = (
        f"{run.findings.deals:>9} deals  {run.chunks / chunks:4.0%}  {CHUNK_DEALS / seconds_a_chunk:6.0f} deals/s  "
        f"{len(run.findings.reports)} mismatches  {left // 3600}:{left // 60 % 60:02}:{left % 60:02} left"
    )
    print(line, end="\r" if sys.stdout.isatty() and run.chunks < chunks else "\n", flush=True)


def format_events(events: Counter[str]) -> str:
    """The table of events: the required ones in their order, then the others."""
    names = [*REQUIRED, *sorted(set(events) - set(REQUIRED))]
    width = max(map(len, names))
    return "\n".join(f"{name:<{width}} {events[name]:>10}" for name in names)


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description="the engine against the referee")
    parser.add_argument("--deals", type=_positive, default=20_000, help="deals to play, rounded up to whole chunks")
    parser.add_argument("--jobs", type=_positive, default=1, help="processes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", type=Path, default=Path("runs/differential"), help="folder of the state file")
    parser.add_argument("--presets", nargs="+", choices=PRESETS, default=[], help="only these, as they stand")
    parser.add_argument("--partie", type=int, help="play again only the partie of this number, from a report")
    parser.add_argument("--least", type=int, default=None, help="exit with 1 if a required event is rarer than this")
    parser.add_argument("--restart", action="store_true", help="begin anew, whatever the state file holds")
    options = parser.parse_args(arguments)
    if options.partie is not None:
        return _play_again(options.partie, tuple(options.presets))
    chunks = -(-options.deals // CHUNK_DEALS)
    file = options.state / "state.json"
    try:
        run = open_run(file, options.seed, tuple(options.presets), chunks, restart=options.restart)
    except RunRefused as refused:
        print(refused, file=sys.stderr)
        return 2
    if run.chunks:
        print(f"going on behind {run.findings.deals} deals")
    try:
        play_run(run, chunks, options.jobs, file)
    except KeyboardInterrupt:
        print(f"\nstopped behind {run.findings.deals} deals; the same command goes on")
        return 130
    return _conclude(run, options.least)


def _play_again(partie_seed: int, presets: tuple[str, ...]) -> int:
    """Play one partie of a report, and print it as `.deal` text, too; return the exit code."""
    try:
        found = play_partie(draw_plan(partie_seed, presets))
    except Mismatch as mismatch:
        print(mismatch.report)
        print(format_record(mismatch.record))
        return 1
    print(f"no difference in {found.deals} deals")
    return 0


def _conclude(run: Run, least: int | None) -> int:
    """Print what the run has shown; return the exit code."""
    found = run.findings
    if least is None:
        least = 50 if found.deals >= 1_000_000 and not run.presets else 0
    missing = found.missing(least)
    print(format_events(found.events))
    print(f"seed {run.seed}, {found.deals} deals, {found.parties} parties, {found.steps} decisions, ", end="")
    print(f"{run.seconds:.0f} s, {len(found.reports)} mismatches")
    for name, count in missing.items():
        print(f"seen only {count} times: {name}")
    return 1 if found.reports or missing else 0


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


if __name__ == "__main__":
    sys.exit(main())
