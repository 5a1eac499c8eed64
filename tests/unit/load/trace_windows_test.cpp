// Where a DLL is searched for.
// SPDX-License-Identifier: Apache-2.0
#include "windows_trees.hpp"

namespace ptxguard {

TEST_CASE("a program's imports: its folder, System32, Windows, current folder, PATH, in this order") {
    const std::string program = TinyPe{}.program().needs(k_cublas).bytes();
    const std::vector<std::pair<std::string, std::string>> order = {{"C:/app", "application folder"},
                                                                    {"C:/Windows/System32", "System32"},
                                                                    {"C:/Windows/System", "System"},
                                                                    {"C:/Windows", "Windows"},
                                                                    {"C:/work", "current folder"},
                                                                    {"C:/one", "PATH"},
                                                                    {"C:/two", "PATH"}};
    for (std::size_t first = 0; first < order.size(); ++first) {
        FakeHost host = windows();
        host.env("PATH", "C:\\one;C:\\two").env("CD", "C:\\work").file("C:/app/x.exe", program);
        std::string later;
        for (std::size_t i = first; i < order.size(); ++i) {
            host.file(order[i].first + "/" + k_cublas, dll());
            if (i > first) later += order[i].first + "/" + k_cublas + " " + order[i].second + " later; ";
        }
        const LoadTrace result = trace(host, "C:/app/x.exe");
        CHECK(result.is_program);
        CHECK(taken(result, k_cublas) == order[first].first + "/" + k_cublas + " by " + order[first].second);
        CHECK(losers(result, k_cublas) == later);
        CHECK(library(result, k_cublas).library == "cublas");
    }
}

TEST_CASE("Python 3.8 and newer: folder of the module, application folder, System32; PATH does not count") {
    FakeHost host = python("311", k_cublas);
    host.env("PATH", "C:/cuda/bin").file("C:/cuda/bin/cublas64_12.dll", dll());
    LoadTrace result = trace(host, k_module);
    CHECK(taken(result, k_cublas) == "none");
    CHECK_FALSE(library(result, k_cublas).undecided);
    CHECK(losers(result, k_cublas) == "C:/cuda/bin/cublas64_12.dll PATH not-searched; ");
    CHECK(library(result, k_cublas).losers.front().why ==
          "Python 3.11 does not look in PATH for what an extension module needs");
    CHECK(taken(result, "python311.dll") == "C:/Python/python311.dll by already loaded by python.exe");

    host.file("C:/Windows/System32/cublas64_12.dll", dll());
    CHECK(taken(trace(host, k_module), k_cublas) == "C:/Windows/System32/cublas64_12.dll by System32");
    host.file("C:/Python/cublas64_12.dll", dll());
    CHECK(taken(trace(host, k_module), k_cublas) == "C:/Python/cublas64_12.dll by application folder");
    host.file("C:/Python/Lib/site-packages/x/CUBLAS64_12.DLL", dll());
    result = trace(host, k_module);
    CHECK(taken(result, k_cublas) == "C:/Python/Lib/site-packages/x/CUBLAS64_12.DLL by folder of _x.pyd");
    CHECK(losers(result, k_cublas) ==
          "C:/Python/cublas64_12.dll application folder later; C:/Windows/System32/cublas64_12.dll System32 "
          "later; "
          "C:/cuda/bin/cublas64_12.dll PATH not-searched; ");
}

TEST_CASE("Python 3.7 and older: PATH counts") {
    FakeHost host = python("37", k_cublas);
    host.env("PATH", "C:/cuda/bin").file("C:/cuda/bin/cublas64_12.dll", dll());
    CHECK(taken(trace(host, k_module), k_cublas) == "C:/cuda/bin/cublas64_12.dll by PATH");
}

TEST_CASE("a virtual environment has its base's application folder and version") {
    FakeHost host = windows();
    host.file("C:/Python37/python.exe", TinyPe{}.program().bytes())
        .file("C:/Python37/cublas64_12.dll", dll());
    host.file("C:/venv/pyvenv.cfg", "home = C:\\Python37\r\nversion = 3.9.13\r\n")
        .file("C:/venv/Scripts/python.exe");
    host.file("C:/venv/Lib/site-packages/x-1.0.dist-info/METADATA")
        .file("C:/venv/Lib/site-packages/x/_x.pyd", needing(k_cublas));
    const LoadTrace result = trace(host, "C:/venv/Lib/site-packages/x/_x.pyd");
    CHECK(taken(result, k_cublas) == "C:/Python37/cublas64_12.dll by application folder");
    REQUIRE(result.remarks.size() == 1);
    CHECK(result.remarks.front() == "loaded by Python 3.9 (pyvenv.cfg)");
}

TEST_CASE("a wheel's tag names the Python it was built for; abi3 names the oldest one") {
    FakeHost host = windows();
    host.env("PATH", "C:/cuda").file("C:/cuda/cublas64_12.dll", dll());
    host.file("C:/deps/x/_x.pyd", needing(k_cublas))
        .file("C:/deps/x-1.0.dist-info/WHEEL", "Tag: cp37-cp37-win_amd64\n");
    CHECK(taken(trace(host, "C:/deps/x/_x.pyd"), k_cublas) == "C:/cuda/cublas64_12.dll by PATH");
    host.file("C:/deps/x-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: cp37-abi3-win_amd64\n");
    CHECK(taken(trace(host, "C:/deps/x/_x.pyd"), k_cublas) == "none");
}

TEST_CASE("the same files under another site-packages path give the same result") {
    for (const std::string site : {"C:/Python/Lib/site-packages", "C:/deps", "C:/a b/site"}) {
        FakeHost host = windows();
        host.file(site + "/x-1.0.dist-info/METADATA")
            .file(site + "/x/_x.cp310-win_amd64.pyd", needing(k_cublas));
        host.file(site + "/nvidia/cublas/bin/cublas64_12.dll", dll());
        const LoadTrace result = trace(host, site + "/x/_x.cp310-win_amd64.pyd");
        CHECK(taken(result, k_cublas) == "none");
        CHECK(losers(result, k_cublas) == site + "/nvidia/cublas/bin/cublas64_12.dll wheel not-searched; ");
    }
}

TEST_CASE("torch adds its lib folder, loads all in it first, and tries again with PATH") {
    const std::string site = "C:/Python/Lib/site-packages/";
    FakeHost host = python("311", k_cublas);
    host.env("PATH", "C:/cuda/bin").file("C:/cuda/bin/cusolver64_11.dll", dll());
    host.file(site + "torch/__init__.py").file(site + "torch/_C.pyd", needing("torch_cuda.dll"));
    host.file(site + "torch/lib/torch_cuda.dll",
              TinyPe{}.needs("cudnn64_9.dll").needs("cusolver64_11.dll").bytes());
    host.file(site + "torch/lib/cudnn64_9.dll", dll()).file(site + "torch/lib/cublas64_12.dll", dll());
    const LoadTrace result = trace(host, site + "torch/_C.pyd");
    CHECK(taken(result, "cudnn64_9.dll") == site + "torch/lib/cudnn64_9.dll by preload of torch");
    CHECK(library(result, "cudnn64_9.dll").how == LoadHow::preload);
    CHECK(taken(result, "cusolver64_11.dll") == "C:/cuda/bin/cusolver64_11.dll by PATH");

    // Another package's module gets torch's only if it needs torch.
    CHECK(taken(trace(host, k_module), k_cublas) == "none");
    host.file(k_module, TinyPe{}.needs("torch_cuda.dll").needs(k_cublas).bytes());
    CHECK(library(trace(host, k_module), k_cublas).taken == site + "torch/lib/cublas64_12.dll");
}

TEST_CASE("a DLL for another machine is skipped; if it is the only one it is the reason") {
    FakeHost host = windows();
    host.env("PATH", "C:/one;C:/two").file("C:/app/x.exe", TinyPe{}.program().needs("cudnn64_8.dll").bytes());
    host.file("C:/one/cudnn64_8.dll", TinyPe{}.machine(0x14c).bytes());
    LoadTrace result = trace(host, "C:/app/x.exe");
    CHECK(taken(result, "cudnn64_8.dll") == "none");
    CHECK(losers(result, "cudnn64_8.dll") == "C:/one/cudnn64_8.dll PATH other-machine; ");
    CHECK(library(result, "cudnn64_8.dll").losers.front().why == "for another machine (x86)");
    host.file("C:/two/cudnn64_8.dll", dll());
    result = trace(host, "C:/app/x.exe");
    CHECK(taken(result, "cudnn64_8.dll") == "C:/two/cudnn64_8.dll by PATH");
    CHECK(losers(result, "cudnn64_8.dll") == "C:/one/cudnn64_8.dll PATH other-machine; ");
}

TEST_CASE("a file that is not a DLL ends the search") {
    FakeHost host = windows();
    host.env("PATH", "C:/one;C:/two").file("C:/app/x.exe", TinyPe{}.program().needs(k_cublas).bytes());
    host.file("C:/one/cublas64_12.dll", "<html>404</html>").file("C:/two/cublas64_12.dll", dll());
    const LoadTrace result = trace(host, "C:/app/x.exe");
    CHECK(taken(result, k_cublas) == "none");
    CHECK(losers(result, k_cublas) ==
          "C:/one/cublas64_12.dll PATH unreadable; C:/two/cublas64_12.dll PATH later; ");
}

TEST_CASE("the DLL of another CUDA is named if the required one is missing") {
    FakeHost host = windows();
    host.env("PATH", "C:/cuda/bin")
        .file("C:/cuda/bin/cublas64_12.dll", dll())
        .file("C:/cuda/bin/cublasLt64_12.dll", dll());
    host.file("C:/app/x.exe", TinyPe{}.program().needs("cublas64_11.dll").bytes());
    const LoadTrace result = trace(host, "C:/app/x.exe");
    CHECK(losers(result, "cublas64_11.dll") == "C:/cuda/bin/cublas64_12.dll PATH other-name; ");
    CHECK(library(result, "cublas64_11.dll").because ==
          "not in C:/app (application folder), C:/Windows/System32 (System32), C:/Windows/System (System), "
          "C:/Windows (Windows), C:/cuda/bin (PATH)");
}

TEST_CASE("API sets and known DLLs need no file; Windows' own are assumed without a System32") {
    FakeHost host(System::windows);
    host.foreign(true).env("PATH", "").file("C:/app/user32.dll", dll());
    host.file("C:/app/x.exe", TinyPe{}
                                  .program()
                                  .needs("api-ms-win-crt-heap-l1-1-0.dll")
                                  .needs("USER32.dll")
                                  .needs("bcrypt.dll")
                                  .needs("MSVCP140.dll")
                                  .needs("mfcore.dll")
                                  .needs("nvcuda.dll")
                                  .needs(k_cublas)
                                  .bytes());
    const LoadTrace result = trace(host, "C:/app/x.exe");
    CHECK(library(result, "api-ms-win-crt-heap-l1-1-0.dll").rule.text == "API set");
    CHECK(taken(result, "USER32.dll") == "C:/Windows/System32/USER32.dll by known DLL");
    CHECK(taken(result, "bcrypt.dll") == "C:/Windows/System32/bcrypt.dll by System32");
    CHECK(library(result, "MSVCP140.dll").undecided);
    CHECK(library(result, "nvcuda.dll").undecided);
    CHECK(library(result, "nvcuda.dll").because == "the tree has no System32, where it would be");
    CHECK_FALSE(library(result, k_cublas).undecided);
    CHECK(library(result, "mfcore.dll").undecided);
    host.folder("C:/Windows/System32");
    CHECK_FALSE(library(trace(host, "C:/app/x.exe"), "MSVCP140.dll").undecided);
    CHECK_FALSE(library(trace(host, "C:/app/x.exe"), "nvcuda.dll").undecided);
}

TEST_CASE("without a known PATH only what the whole tree lacks is reported missing") {
    FakeHost host(System::windows);
    host.foreign(true)
        .folder("C:/Windows/System32")
        .file("C:/app/x.exe", TinyPe{}.program().needs(k_cublas).bytes());
    CHECK_FALSE(library(trace(host, "C:/app/x.exe"), k_cublas).undecided);
    host.file(std::string("C:/tools/") + k_cublas, dll());
    const LoadTrace result = trace(host, "C:/app/x.exe");
    CHECK(library(result, k_cublas).undecided);
    CHECK(library(result, k_cublas).because == "PATH of the checked system is not known");
}

}  // namespace ptxguard
