"""Records: immutable, source-grounded observations of what happened around the code."""
