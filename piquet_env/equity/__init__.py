"""What a position between two deals is worth: tables of the expected settlement, and the records they come from."""

from .au_cent import AuCentTable, au_cent_table
from .choice import Equity, default_version, equity_of
from .rubicon import MAX_DEALS, MAX_RUBICON_LINE, EquityTable, equity_table, rubicon_settlement
from .scores import (
    BIN_POINTS,
    CAVENDISH,
    ELDER_DEALS,
    YOUNGER_DEALS,
    DealScores,
    deal_scores,
    load_scores,
    pack_scores,
    shipped_versions,
)

__all__ = [
    "BIN_POINTS",
    "CAVENDISH",
    "ELDER_DEALS",
    "MAX_DEALS",
    "MAX_RUBICON_LINE",
    "YOUNGER_DEALS",
    "AuCentTable",
    "DealScores",
    "Equity",
    "EquityTable",
    "au_cent_table",
    "deal_scores",
    "default_version",
    "equity_of",
    "equity_table",
    "load_scores",
    "pack_scores",
    "rubicon_settlement",
    "shipped_versions",
]
