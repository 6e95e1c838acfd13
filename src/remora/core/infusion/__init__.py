"""Governed recall that was not asked for: select, rank, remember what was delivered, and format within a budget."""
