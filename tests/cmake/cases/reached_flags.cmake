include("${CMAKE_CURRENT_LIST_DIR}/reached.cmake")
