a "b
