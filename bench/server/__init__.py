"""Measures the server over a real socket; each figure is of one run of this command on the machine at hand."""
