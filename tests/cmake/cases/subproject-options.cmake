set(build TRUE)
