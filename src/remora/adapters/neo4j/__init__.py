"""The server engine: many repositories in one Neo4j database."""
