// A libNVVM and a PTX JIT compiler that compile nothing: enough of their functions to be loaded and called.
// What they answer is in the environment: FAKE_IR and FAKE_LLVM (a number of LLVM; nothing: that function
// fails), FAKE_MADE (size of what the JIT compiler made), FAKE_FAILS (result of each compilation), FAKE_LOG,
// FAKE_LOG_SIZE, FAKE_NO_LOG (the function for its size fails), FAKE_NO_HANDLE.
// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <cstring>

namespace {

int number(const char* name, int otherwise) {
    const char* text = std::getenv(name);
    return text ? std::atoi(text) : otherwise;
}
const char* log_text() {
    const char* text = std::getenv("FAKE_LOG");
    return text ? text : "";
}
int g_handle = 0;
int make(void** handle) {
    if (std::getenv("FAKE_NO_HANDLE")) return 5;
    return *handle = &g_handle, 0;
}
int size_of_log(std::size_t* size) {
    *size = static_cast<std::size_t>(number("FAKE_LOG_SIZE", static_cast<int>(std::strlen(log_text())) + 1));
    return std::getenv("FAKE_NO_LOG") ? 1 : 0;
}

}  // namespace

extern "C" {

int nvvmVersion(int* major, int* minor) { return *major = 2, *minor = 0, 0; }
int nvvmIRVersion(int* major, int* minor, int* debug_major, int* debug_minor) {
    if (!std::getenv("FAKE_IR")) return 1;
    return *major = number("FAKE_IR", 0), *minor = 7, *debug_major = 3, *debug_minor = 2, 0;
}
int nvvmLLVMVersion(const char*, int* major) { return *major = number("FAKE_LLVM", 0), *major ? 0 : 1; }
int nvvmCreateProgram(void** program) { return make(program); }
int nvvmDestroyProgram(void** program) { return *program = nullptr, 0; }
int nvvmAddModuleToProgram(void*, const char*, std::size_t, const char*) { return 0; }
int nvvmCompileProgram(void*, int, const char**) { return number("FAKE_FAILS", 0); }
int nvvmGetCompiledResultSize(void*, std::size_t* size) { return *size = 5, 0; }
int nvvmGetCompiledResult(void*, char* text) { return std::memcpy(text, "//ptx", 5), 0; }
int nvvmGetProgramLogSize(void*, std::size_t* size) { return size_of_log(size); }
int nvvmGetProgramLog(void*, char* text) { return std::strcpy(text, log_text()), 0; }
const char* nvvmGetErrorString(int result) { return result == 0 ? "NVVM_SUCCESS" : "NVVM_ERROR"; }

int nvPTXCompilerGetVersion(unsigned* major, unsigned* minor) { return *major = 12, *minor = 2, 0; }
int nvPTXCompilerCreate(void** compiler, std::size_t, const char*) { return *compiler = &g_handle, 0; }
int nvPTXCompilerDestroy(void** compiler) { return *compiler = nullptr, 0; }
int nvPTXCompilerCompile(void*, int, const char**) { return number("FAKE_FAILS", 0); }
int nvPTXCompilerGetCompiledProgramSize(void*, std::size_t* size) {
    return *size = static_cast<std::size_t>(number("FAKE_MADE", 64)), 0;
}
int nvPTXCompilerGetErrorLogSize(void*, std::size_t* size) { return size_of_log(size); }
int nvPTXCompilerGetErrorLog(void*, char* text) { return std::strcpy(text, log_text()), 0; }
}
