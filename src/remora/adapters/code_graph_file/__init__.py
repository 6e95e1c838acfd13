"""The code graph's file of a checkout."""

from remora.adapters.code_graph_file.file import CodeGraphFile

__all__ = ["CodeGraphFile"]
