"""Encounters: what the agent figured out, in time. A process spine, a semantic layer and a reference layer."""
