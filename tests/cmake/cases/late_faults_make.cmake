include("${CASES}/late_faults.cmake")
