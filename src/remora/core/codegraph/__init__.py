"""The code graph: neutral facts of a file, resolution of imports and calls, linking, impact. Pure."""
