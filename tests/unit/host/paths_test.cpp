// SPDX-License-Identifier: Apache-2.0
#include "host/paths.hpp"

#include <doctest/doctest.h>

using namespace ptxguard;
using Texts = std::vector<std::string>;

TEST_CASE("joining puts one separator between two paths") {
    CHECK(join_path("/opt", "cuda") == "/opt/cuda");
    CHECK(join_path("/opt/", "cuda/bin") == "/opt/cuda/bin");
    CHECK(join_path("", "cuda") == "cuda");
    CHECK(join_path("/opt", "") == "/opt");
    CHECK(join_path("C:\\CUDA", "bin\\nvcc.exe") == "C:/CUDA/bin/nvcc.exe");
}

TEST_CASE("an absolute second path replaces the first") {
    CHECK(join_path("/opt", "/usr") == "/usr");
    CHECK(join_path("/opt", "D:\\x") == "D:/x");
    CHECK(join_path("C:/a", "\\b") == "/b");
}

TEST_CASE("a backslash is an ordinary character in a Linux name") {
    CHECK(join_path("/opt/a\\b", "c") == "/opt/a\\b/c");
    CHECK(file_name("/opt/a\\b") == "a\\b");
    CHECK(parent_path("/opt/a\\b") == "/opt");
    CHECK(normal_path("/opt/a\\b/", System::linux_) == "/opt/a\\b");
}

TEST_CASE("the parent of a path ends at the root") {
    CHECK(parent_path("/opt/cuda/bin") == "/opt/cuda");
    CHECK(parent_path("/opt//cuda///") == "/opt");
    CHECK(parent_path("/x") == "/");
    CHECK(parent_path("/") == "/");
    CHECK(parent_path("nvcc") == "");
    CHECK(parent_path("") == "");
    CHECK(parent_path("C:\\CUDA\\bin") == "C:/CUDA");
    CHECK(parent_path("C:/CUDA") == "C:/");
    CHECK(parent_path("C:/") == "C:/");
}

TEST_CASE("the file name is the part after the last separator") {
    CHECK(file_name("/opt/cuda/bin/nvcc") == "nvcc");
    CHECK(file_name("/opt/cuda/") == "cuda");
    CHECK(file_name("nvcc") == "nvcc");
    CHECK(file_name("/") == "");
    CHECK(file_name("C:\\CUDA\\nvcc.exe") == "nvcc.exe");
    CHECK(file_name("C:/") == "");
}

TEST_CASE("a drive, a share or a leading separator makes a Windows path absolute") {
    CHECK(is_absolute("/x", System::linux_));
    CHECK_FALSE(is_absolute("x/y", System::linux_));
    CHECK_FALSE(is_absolute("", System::linux_));
    CHECK_FALSE(is_absolute("C:\\x", System::linux_));
    CHECK(is_absolute("C:\\x", System::windows));
    CHECK(is_absolute("c:/x", System::windows));
    CHECK(is_absolute("\\\\server\\share", System::windows));
    CHECK(is_absolute("/x", System::windows));
    CHECK_FALSE(is_absolute("C:x", System::windows));
    CHECK_FALSE(is_absolute("bin\\x", System::windows));
}

TEST_CASE("a normal path has no dots, doubled or trailing separators") {
    CHECK(normal_path("/opt//./cuda/../cuda-13.0/", System::linux_) == "/opt/cuda-13.0");
    CHECK(normal_path("/../../x", System::linux_) == "/x");
    CHECK(normal_path("../a/../..", System::linux_) == "../..");
    CHECK(normal_path("a/..", System::linux_) == ".");
    CHECK(normal_path("", System::linux_) == "");
    CHECK(normal_path("/", System::linux_) == "/");
    CHECK(normal_path("C:\\CUDA\\v12\\..\\v13\\", System::windows) == "C:/CUDA/v13");
    CHECK(normal_path("c:\\", System::windows) == "c:/");
    CHECK(normal_path("\\\\server\\share\\x\\.", System::windows) == "//server/share/x");
    CHECK(normal_path("\\\\?\\C:\\CUDA", System::windows) == "C:/CUDA");
}

TEST_CASE("search path lists keep their empty entries") {
    CHECK(split_list("/a::/b:", System::linux_) == Texts{"/a", "", "/b", ""});
    CHECK(split_list("", System::linux_).empty());
    CHECK(split_list("/a;b", System::linux_) == Texts{"/a;b"});
    CHECK(split_list("C:\\a;;D:\\b", System::windows) == Texts{"C:\\a", "", "D:\\b"});
    CHECK(split_list("\"C:\\a;b\";C:\\c", System::windows) == Texts{"C:\\a;b", "C:\\c"});
    CHECK(split_list("\"/a\"", System::linux_) == Texts{"\"/a\""});
}

TEST_CASE("programs end in .exe only on Windows") {
    CHECK(executable_name("nvcc", System::linux_) == "nvcc");
    CHECK(executable_name("nvcc", System::windows) == "nvcc.exe");
}

TEST_CASE("small text helpers work") {
    CHECK(starts_with("libcuda.so", "libcuda"));
    CHECK_FALSE(starts_with("lib", "libcuda"));
    CHECK(ends_with("libcuda.so", ".so"));
    CHECK_FALSE(ends_with("so", ".so"));
    CHECK(lower("CUDA_Ä") == "cuda_Ä");
    CHECK(trim(" \t a b\r\n") == "a b");
    CHECK(trim(" \n") == "");
    CHECK(split(";a,,b;", ";,") == Texts{"a", "b"});
    CHECK(split("", ";").empty());
    CHECK(split_fields("a,,b,", ',') == Texts{"a", "", "b", ""});
    CHECK(split_fields("", ',') == Texts{""});
}
