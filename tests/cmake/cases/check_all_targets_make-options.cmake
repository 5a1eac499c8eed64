set(generator "Unix Makefiles")
set(build TRUE)
