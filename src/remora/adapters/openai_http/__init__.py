"""Chat servers spoken to over HTTP: OpenAI's shape and Ollama's, on checked addresses only."""
