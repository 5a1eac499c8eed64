# The summary of a project names the check and its result.
set(CudaConsistent_TOOLKIT "${REPAIRED}")
set(CMAKE_CUDA_ARCHITECTURES 80)
find_package(CudaConsistent REQUIRED)
find_package(CudaConsistent REQUIRED)
include(FeatureSummary)
feature_summary(WHAT ALL)
