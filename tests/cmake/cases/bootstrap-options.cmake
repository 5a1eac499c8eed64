# A cache of the tests' own, kept between runs: the next run compiles only what has changed sources.
set(environment "XDG_CACHE_HOME=${BUILD}/bootstrap-cache")
