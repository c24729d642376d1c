"""The form in which a notebook shows results: small pieces of HTML, complete in themselves and escaped."""

from .cards import card, details, findings_table, summary_of, table

__all__ = ["card", "details", "findings_table", "summary_of", "table"]
