"""The page on `remora serve`: see what memory holds, why, and put it right. Drawn on the server, loaded by it alone."""
