# The toolkit behind a folder with a blank, a quote, a semicolon, a bracket and letters outside ASCII.
set(folder "${CMAKE_CURRENT_BINARY_DIR}/a b'ö;[")
file(MAKE_DIRECTORY "${folder}")
file(CREATE_LINK "${REPAIRED}" "${folder}/cuda" SYMBOLIC)
set(CudaConsistent_TOOLKIT "${folder}/cuda")
find_package(CudaConsistent REQUIRED)
if(NOT CudaConsistent_PTX_VERSION STREQUAL "9.0")
  message(SEND_ERROR "PTX '${CudaConsistent_PTX_VERSION}'")
endif()
