"""Facts from turns of a conversation: the prompt, an answer of any shape, grounding, and plain rules."""
