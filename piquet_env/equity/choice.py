"""Which equity table belongs to some rules."""

from __future__ import annotations

from piquet_env.rules.variants import Rules

from .au_cent import AuCentTable, au_cent_table
from .rubicon import EquityTable, equity_table
from .scores import CAVENDISH, deal_scores

Equity = EquityTable | AuCentTable

# Of the record of deals, by form and pack. Cavendish's does not know the order of points, which au cent needs.
DEFAULT_VERSIONS = {
    ("rubicon", 32): CAVENDISH,
    ("rubicon", 36): "v1-greedy-36",
    ("au_cent", 32): "v1-greedy",
    ("au_cent", 36): "v1-greedy-36",
}


def default_version(rules: Rules) -> str:
    """Return the version that is used with some rules where none is named."""
    return DEFAULT_VERSIONS[rules.form, rules.pack]


def equity_of(rules: Rules, version: str | None = None) -> Equity:
    """Return the equity table of some rules.

    version: of the record of deals (see `deal_scores`); None for the default
    Raises ValueError, in one sentence, where there is no such table.
    """
    if version is None:
        version = default_version(rules)
    pack = deal_scores(version).pack
    if pack != rules.pack:
        raise ValueError(f"the equity table {version!r} is for {pack} cards, not for {rules.pack}")
    try:
        if rules.form == "au_cent":
            return au_cent_table(rules.target, rules.lurch, rules.games, rules.au_cent_stop, version=version)
        return equity_table(rules.deals, rules.tie_break, rubicon_line=rules.rubicon_line, version=version)
    except ValueError as error:
        raise ValueError(f"the reward 'equity' has no table for these rules: {error}") from None
