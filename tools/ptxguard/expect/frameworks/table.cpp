// Reports list the frameworks in this order.
// SPDX-License-Identifier: Apache-2.0
#include "expect/expect.hpp"

#include "expect/frameworks/cupy/cupy.hpp"
#include "expect/frameworks/jax/jax.hpp"
#include "expect/frameworks/mxnet/mxnet.hpp"
#include "expect/frameworks/numba/numba.hpp"
#include "expect/frameworks/onnxruntime/onnxruntime.hpp"
#include "expect/frameworks/paddle/paddle.hpp"
#include "expect/frameworks/pytorch/pytorch.hpp"
#include "expect/frameworks/tensorflow/tensorflow.hpp"
#include "expect/frameworks/triton/triton.hpp"

namespace ptxguard {

const std::vector<FrameworkReader>& framework_readers() {
    static const std::vector<FrameworkReader> readers = {
        {"PyTorch",
         "torch",
         {"torch", "pytorch", "libtorch"},
         {"pytorch-cpu", "torch-cpu"},
         pytorch::read,
         pytorch::declared,
         {"torch"}},
        {"TensorFlow",
         "tensorflow",
         {"tensorflow", "tf", "tensorflow-gpu", "tf-nightly"},
         {"tensorflow-cpu", "tensorflow-intel", "tf-nightly-cpu"},
         tensorflow::read,
         tensorflow::declared,
         {"tensorflow", "tensorflow-gpu", "tensorflow-cpu", "tensorflow-intel", "tensorflow-rocm",
          "tf-nightly", "tf-nightly-gpu", "tf-nightly-cpu", "intel-tensorflow"}},
        {"JAX",
         "jax",
         {"jax", "jaxlib", "jax-cuda*"},
         {},
         jax::read,
         jax::declared,
         {"jaxlib", "jax", "jax-cuda*"}},
        {"ONNXRuntime",
         "onnxruntime-gpu",
         {"onnxruntime-gpu", "onnxruntime", "ort", "ort-nightly-gpu"},
         {},
         onnxruntime::read,
         onnxruntime::declared,
         {"onnxruntime-gpu", "onnxruntime", "onnxruntime-*", "ort-nightly*"}},
        {"CuPy",
         "cupy",
         {"cupy", "cupy-cuda11x", "cupy-cuda12x", "cupy-cuda13x", "cupy-*"},
         {},
         cupy::read,
         cupy::declared,
         {"cupy", "cupy-cuda*", "cupy-rocm*"}},
        {"PaddlePaddle",
         "paddlepaddle-gpu",
         {"paddlepaddle-gpu", "paddle", "paddle-gpu"},
         {"paddlepaddle"},
         paddle::read,
         paddle::declared,
         {"paddlepaddle-gpu", "paddlepaddle", "paddlepaddle-rocm", "paddlepaddle-xpu"}},
        {"Triton",
         "triton",
         {"triton", "triton-windows", "pytorch-triton"},
         {},
         triton::read,
         triton::declared,
         {"triton", "triton-windows", "pytorch-triton*"}},
        {"Numba", "numba-cuda", {"numba-cuda"}, {}, numba::read, numba::declared, {"numba-cuda"}},
        {"MXNet",
         "mxnet",
         {"mxnet", "mxnet-*"},
         {},
         mxnet::read,
         mxnet::declared,
         {"mxnet", "mxnet-cu*", "mxnet-mkl"}},
    };
    return readers;
}

}  // namespace ptxguard
