"""How checkpoints lie in the database: every value once, lists by what was appended to them."""
