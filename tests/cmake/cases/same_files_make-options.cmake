set(generator "Unix Makefiles")
