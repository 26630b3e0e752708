This is no script.
