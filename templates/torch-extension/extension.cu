#include <Python.h>
#include <torch/library.h>

#include <ATen/ATen.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

namespace {

__global__ void twice_kernel(int64_t n, const float* from, float* to) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < n) to[i] = 2 * from[i];
}

at::Tensor twice(const at::Tensor& given) {
    TORCH_CHECK(given.is_cuda() && given.scalar_type() == at::kFloat, "expected a float tensor on a GPU");
    const at::Tensor from = given.contiguous();
    at::Tensor to = at::empty_like(from);
    const int64_t n = from.numel();
    if (n > 0)
        twice_kernel<<<(n + 255) / 256, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(n, from.data_ptr<float>(), to.data_ptr<float>());
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return to;
}

}  // namespace

TORCH_LIBRARY(my_extension, library) { library.def("twice(Tensor given) -> Tensor"); }
TORCH_LIBRARY_IMPL(my_extension, CUDA, library) { library.impl("twice", &twice); }

static PyModuleDef module = {PyModuleDef_HEAD_INIT, "_C", nullptr, -1, nullptr};
PyMODINIT_FUNC PyInit__C() { return PyModule_Create(&module); }
