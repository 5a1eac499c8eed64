// A driver's library without a driver: enough of the CUDA driver interface for ptxguard to query a GPU and to
// load PTX on it. FAKE_GPU is its compute capability ("9.0"; unset: no GPU), FAKE_READS the newest PTX that
// it reads ("8.2"), FAKE_FAILS makes every load return that error.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

// Stubs are recognized by their size.
const char k_size[2 << 20] = "x";

int number(const char* text) {
    int major = 0, minor = 0;
    return text && std::sscanf(text, "%d.%d", &major, &minor) == 2 ? major * 10 + minor : 0;
}

}  // namespace

extern "C" {

int cuDriverGetVersion(int* version) {
    *version = 12020;
    return 0;
}

int cuInit(unsigned) { return std::getenv("FAKE_GPU") ? 0 : 100; }

int cuDeviceGetCount(int* count) {
    *count = 1;
    return 0;
}

int cuDeviceGet(int* device, int ordinal) {
    *device = ordinal;
    return 0;
}

int cuDeviceGetName(char* name, int size, int) {
    std::snprintf(name, static_cast<std::size_t>(size), "Fake GPU");
    return 0;
}

int cuDeviceGetAttribute(int* value, int attribute, int) {
    const int gpu = number(std::getenv("FAKE_GPU"));
    *value = attribute == 75 ? gpu / 10 : gpu % 10;
    return 0;
}

int cuGetErrorName(int code, const char** name) {
    *name = code == 222   ? "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"
            : code == 209 ? "CUDA_ERROR_NO_BINARY_FOR_GPU"
                          : "CUDA_ERROR";
    return 0;
}

int cuGetErrorString(int code, const char** text) {
    *text = code == 222 ? "the provided PTX was compiled with an unsupported toolchain." : "no";
    return 0;
}

int cuCtxCreate_v2(void** context, unsigned, int) {
    *context = const_cast<char*>(k_size);
    return 0;
}

int cuCtxDestroy_v2(void*) { return 0; }

int cuModuleLoadDataEx(void** module, const void* image, unsigned count, int* options, void** values) {
    const char* text = static_cast<const char*>(image);
    const char *version = std::strstr(text, ".version "), *target = std::strstr(text, ".target sm_");
    if (const char* code = std::getenv("FAKE_FAILS")) return std::atoi(code);
    for (unsigned i = 0; i < count; ++i)
        if (options[i] == 5) std::strcpy(static_cast<char*>(values[i]), "the JIT's own words");
    if (!version || !target) return 218;
    if (number(version + 9) > number(std::getenv("FAKE_READS"))) return 222;
    if (std::atoi(target + 11) > number(std::getenv("FAKE_GPU"))) return 209;
    *module = const_cast<char*>(k_size);
    return 0;
}

}  // extern "C"
