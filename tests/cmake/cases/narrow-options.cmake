set(environment COLUMNS=60)
