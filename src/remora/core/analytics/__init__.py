"""Reading the authored graph: projections, rankings, structure, and the panel that `orient` shows."""
