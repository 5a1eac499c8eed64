// Reports list the frameworks in this order.
// SPDX-License-Identifier: Apache-2.0
#include "expect/expect.hpp"

namespace ptxguard {

// Each in frameworks/<name>/reader.cpp.
namespace pytorch {
FrameworkReader reader();
}
namespace tensorflow {
FrameworkReader reader();
}
namespace jax {
FrameworkReader reader();
}
namespace onnxruntime {
FrameworkReader reader();
}
namespace cupy {
FrameworkReader reader();
}
namespace paddle {
FrameworkReader reader();
}
namespace triton {
FrameworkReader reader();
}
namespace numba {
FrameworkReader reader();
}
namespace ctranslate2 {
FrameworkReader reader();
}
namespace mxnet {
FrameworkReader reader();
}

const std::vector<FrameworkReader>& framework_readers() {
    static const std::vector<FrameworkReader> readers = {
        pytorch::reader(), tensorflow::reader(), jax::reader(),   onnxruntime::reader(), cupy::reader(),
        paddle::reader(),  triton::reader(),     numba::reader(), ctranslate2::reader(), mxnet::reader(),
    };
    return readers;
}

}  // namespace ptxguard
