"""What each task answers without a model: plain, deterministic, from the data at hand."""
