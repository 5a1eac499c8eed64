// Error texts against pasted text, and the pages about them.
// SPDX-License-Identifier: Apache-2.0
#include "commands/error_texts.hpp"

#include <doctest/doctest.h>

#include "commands/error_pages.hpp"

using namespace ptxguard;

TEST_CASE("any number matches any other, except in an error number") {
    CHECK(text_fit("Value 'sm_121' is not defined for option", "value sm_89a is not defined for option x"));
    CHECK(text_fit("CUDA error 222", "error 222"));
    CHECK_FALSE(text_fit("CUDA error 222", "CUDA error 223"));
    CHECK(text_fit("Could not load library libcudnn*", "Could not load library libcudnn_adv.so.9"));
    CHECK_FALSE(text_fit("Could not load library libcudnn*", "Could not load library libcublas.so.12"));
    CHECK(text_fit("Input file * newer than toolkit", "Input file '/tmp/a-b.o' newer than toolkit"));
    CHECK_FALSE(text_fit("Input file * newer than toolkit", "Input file is older than toolkit"));
}

TEST_CASE("each text of a page leads to that page") {
    CHECK(error_pages().size() >= 15);
    for (const ErrorPage& page : error_pages()) {
        CAPTURE(page.name);
        CHECK(page.texts.size() >= 2);
        CHECK(page.answer.size() > 60);
        CHECK(page.answer.find('|') == std::string::npos);
        for (const std::string& text : page.texts) {
            CAPTURE(text);
            const ErrorPage* found = page_about(text);
            REQUIRE(found);
            CHECK(found->name == page.name);
        }
    }
}

TEST_CASE("pasted texts find the page about them") {
    for (const auto& row : {
             std::pair{"default-cuda-architecture",
                       "CMake Error at CMakeDetermineCUDACompiler.cmake:277 (message): Failed to detect a "
                       "default CUDA "
                       "architecture."},
             {"nvvm-support-error",
              "numba.cuda.cudadrv.error.NvvmSupportError: libNVVM cannot be found. Do `conda install "
              "cudatoolkit`:"},
             {"torch-cuda-not-available", "torch.cuda.is_available() False"},
             {"host-compiler-headers",
              "amxtileintrin.h(42): error: identifier \"__builtin_ia32_ldtilecfg\" is undefined"},
             {"dnn-library-initialization-failed",
              "jaxlib.xla_extension.XlaRuntimeError: FAILED_PRECONDITION: DNN library initialization "
              "failed."},
             {"unsupported-toolchain",
              "[222] Call to cuLinkAddData results in CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
             {"jit-compiler-not-found", "CUDA_ERROR_JIT_COMPILER_NOT_FOUND: error 221"},
             {"blas-gemm-launch-failed", "InternalError: Blas GEMM launch failed : a.shape=(100, 784)"},
             {"ptxas", "Couldn't invoke ptxas.exe --version"},
         }) {
        CAPTURE(std::string(row.second));
        const ErrorPage* page = page_about(row.second);
        REQUIRE(page);
        CHECK(page->name == row.first);
    }
    for (const char* line :
         {"", "x", "ptx", "banana", "line 222 of main.cu", "Segmentation fault (core dumped)",
          "OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB"}) {
        CAPTURE(line);
        CHECK(page_about(line) == nullptr);
    }
}
