"""What couples code across processes and languages: HTTP routes, RPCs, topics, events, foreign functions."""
