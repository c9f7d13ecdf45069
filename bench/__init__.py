"""Every figure the project claims: one module per table, each with `main()`; `python -m bench` prints them all."""
