include("${CASES}/same_files.cmake")
