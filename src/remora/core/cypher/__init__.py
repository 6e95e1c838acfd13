"""Reading Cypher safely: a tokenizer, a gate, the rows of a snapshot, and known deviations of its engine."""
