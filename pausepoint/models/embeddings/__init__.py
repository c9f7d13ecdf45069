"""Texts to vectors: the port, the bundled multilingual model, and the choice between providers."""
