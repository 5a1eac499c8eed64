# Settings from a ptxguard.toml that the project names.
set(CudaConsistent_TOOLKIT "${MIXED}")
set(CudaConsistent_SETTINGS "${CMAKE_CURRENT_BINARY_DIR}/settings.toml")
file(WRITE "${CudaConsistent_SETTINGS}" "[ignore]\nCC104 = \"known\"\nCC201 = \"the fix comes tomorrow\"\n")
find_package(CudaConsistent REQUIRED)
