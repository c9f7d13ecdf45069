raise RuntimeError("this module cannot be imported: missing licence file")
