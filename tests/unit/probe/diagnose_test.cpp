// Texts of real tools (CUDA 11.8 to 13.5, gcc 12, dash, bash, drivers 390 to 555) and what is read from them.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "probe/diagnose.hpp"

using namespace ptxguard;

namespace {

Diagnosis failed(const char* text, ProbeKind kind = ProbeKind::object, int exit_code = 1) {
    ProcessResult run;
    run.state = ProcessResult::State::exited;
    run.exit_code = exit_code;
    run.err = text;
    return diagnose(run, kind, "nvcc", false);
}

struct Row {
    const char* text;
    Outcome outcome;
    const char* culprit;
    const char* first_error;
};

const Row k_rows[] = {
    {"ptxas ./tmpxft_00003f5f_00000000-6_probe.ptx, line 9; fatal   : Unsupported .version 9.5; current "
     "version is '9.0'\n"
     "ptxas fatal   : Ptx assembly aborted due to errors\n",
     Outcome::refused, "ptxas",
     "ptxas ./tmpxft_00003f5f_00000000-6_probe.ptx, line 9; fatal   : Unsupported .version 9.5; current "
     "version is '9.0'"},
    {"nvcc fatal   : Unsupported gpu architecture 'compute_50'\n", Outcome::refused, "nvcc",
     "nvcc fatal   : Unsupported gpu architecture 'compute_50'"},
    {"ptxas fatal   : Value 'sm_121' is not defined for option 'gpu-name'\n", Outcome::refused, "ptxas",
     "ptxas fatal   : Value 'sm_121' is not defined for option 'gpu-name'"},
    {"nvcc fatal   : Value 'sm_89' is not defined for option 'gpu-architecture'\n", Outcome::refused, "nvcc",
     "nvcc fatal   : Value 'sm_89' is not defined for option 'gpu-architecture'"},
    {"In file included from /opt/cuda/bin/..//include/cuda_runtime.h:82,\n                 from "
     "<command-line>:\n"
     "/opt/cuda/bin/..//include/crt/host_config.h:132:2: error: #error -- unsupported GNU version! gcc "
     "versions later "
     "than 11 are not supported!\n  132 | #error -- unsupported GNU version!\n      |  ^~~~~\n",
     Outcome::refused, "host compiler",
     "/opt/cuda/bin/..//include/crt/host_config.h:132:2: error: #error -- unsupported GNU version! gcc "
     "versions later "
     "than 11 are not supported!"},
    {"/usr/include/x86_64-linux-gnu/bits/mathcalls.h(206): error: exception specification is incompatible "
     "with that of previous function \"rsqrt\" (declared at line 629 of "
     "/opt/cuda/bin/..//include/crt/math_functions.h)\n",
     Outcome::refused, "crt headers",
     "/usr/include/x86_64-linux-gnu/bits/mathcalls.h(206): error: exception specification is incompatible "
     "with that of previous function \"rsqrt\" (declared at line 629 of "
     "/opt/cuda/bin/..//include/crt/math_functions.h)"},
    {"In file included from tmpxft_1-6_probe.cudafe1.stub.c:1:\n"
     "./tmpxft_1-6_probe.cudafe1.stub.c:13:341: error: macro \"__cudaLaunch\" passed 2 arguments, but takes "
     "just 1\n",
     Outcome::refused, "crt headers",
     "./tmpxft_1-6_probe.cudafe1.stub.c:13:341: error: macro \"__cudaLaunch\" passed 2 arguments, but takes "
     "just 1"},
    {"/usr/bin/ld: cannot find -lcudadevrt: No such file or directory\n/usr/bin/ld: cannot find "
     "-lcudart_static: No "
     "such file or directory\ncollect2: error: ld returned 1 exit status\n",
     Outcome::refused, "nvcc", "/usr/bin/ld: cannot find -lcudadevrt: No such file or directory"},
    {"ld.lld: error: unable to find library -lcudart\n", Outcome::refused, "nvcc",
     "ld.lld: error: unable to find library -lcudart"},
    {"mold: fatal: library not found: cudart\n", Outcome::refused, "nvcc",
     "mold: fatal: library not found: cudart"},
    {"LINK : fatal error LNK1181: cannot open input file 'cudart_static.lib'\n", Outcome::refused, "nvcc",
     "LINK : fatal error LNK1181: cannot open input file 'cudart_static.lib'"},
    {"LINK : fatal error LNK1104: cannot open file 'cudadevrt.lib'\n", Outcome::refused, "nvcc",
     "LINK : fatal error LNK1104: cannot open file 'cudadevrt.lib'"},
    {"/usr/bin/ld: cannot find -lstdc++: No such file or directory\ncollect2: error: ld returned 1 exit "
     "status\n",
     Outcome::refused, "host compiler", "/usr/bin/ld: cannot find -lstdc++: No such file or directory"},
    {"/usr/bin/ld: cannot find crt1.o: No such file or directory\ncollect2: error: ld returned 1 exit "
     "status\n",
     Outcome::refused, "host compiler", "/usr/bin/ld: cannot find crt1.o: No such file or directory"},
    {"sh: 1: cicc: not found\n", Outcome::broken, "cicc", "sh: 1: cicc: not found"},
    {"sh: 1: lab/a/bin/../nvvm/bin/cicc: not found\n", Outcome::broken, "cicc",
     "sh: 1: lab/a/bin/../nvvm/bin/cicc: not found"},
    {"sh: line 1: cudafe++: command not found\n", Outcome::broken, "cudafe++",
     "sh: line 1: cudafe++: command not found"},
    {"sh: 1: /opt/a/bin/../nvvm/bin/cicc: Exec format error\n", Outcome::broken, "cicc",
     "sh: 1: /opt/a/bin/../nvvm/bin/cicc: Exec format error"},
    {"sh: 1: /opt/a/bin/../nvvm/bin/cicc: Permission denied\n", Outcome::broken, "cicc",
     "sh: 1: /opt/a/bin/../nvvm/bin/cicc: Permission denied"},
    {"'cicc' is not recognized as an internal or external command,\r\noperable program or batch file.\r\n",
     Outcome::broken, "cicc", "'cicc' is not recognized as an internal or external command,"},
    {"nvcc error   : 'cicc' died due to signal 11 (Invalid memory reference)\n", Outcome::broken, "cicc",
     "nvcc error   : 'cicc' died due to signal 11 (Invalid memory reference)"},
    {"gcc: No such file or directory\nnvcc fatal   : Failed to preprocess host compiler properties.\n",
     Outcome::broken, "host compiler", "gcc: No such file or directory"},
    {"/opt/clang-99: No such file or directory\nnvcc fatal   : Failed to preprocess host compiler "
     "properties.\n",
     Outcome::broken, "host compiler", "/opt/clang-99: No such file or directory"},
    {"gcc: fatal error: cannot execute 'cc1plus': execvp: No such file or directory\ncompilation "
     "terminated.\n",
     Outcome::broken, "host compiler",
     "gcc: fatal error: cannot execute 'cc1plus': execvp: No such file or directory"},
    {"nvcc fatal   : Cannot find compiler 'cl.exe' in PATH\r\n", Outcome::broken, "host compiler",
     "nvcc fatal   : Cannot find compiler 'cl.exe' in PATH"},
    {"cc1plus: fatal error: cuda_runtime.h: No such file or directory\ncompilation terminated.\n",
     Outcome::refused, "runtime headers", "cc1plus: fatal error: cuda_runtime.h: No such file or directory"},
    {"/opt/cuda/include/cuda_runtime.h:82:10: fatal error: crt/host_config.h: No such file or directory\n",
     Outcome::refused, "crt headers",
     "/opt/cuda/include/cuda_runtime.h:82:10: fatal error: crt/host_config.h: No such file or directory"},
    {"<command-line>: fatal error: /nonexist.h: No such file or directory\ncompilation terminated.\n",
     Outcome::refused, "headers", "<command-line>: fatal error: /nonexist.h: No such file or directory"},
    {"/opt/bin/ptxas: /lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.99' not found (required by "
     "/opt/bin/ptxas)\n",
     Outcome::broken, "ptxas",
     "/opt/bin/ptxas: /lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.99' not found (required by "
     "/opt/bin/ptxas)"},
    {"/opt/nvvm/bin/cicc: error while loading shared libraries: libnvvm.so.4: cannot open shared object "
     "file: No such "
     "file or directory\n",
     Outcome::broken, "cicc",
     "/opt/nvvm/bin/cicc: error while loading shared libraries: libnvvm.so.4: cannot open shared object "
     "file: No such "
     "file or directory"},
    {"ptxas fatal   : Input file './tmpxft_1-6_probe.ptx' could not be opened\nptxas fatal   : Ptx assembly "
     "aborted due "
     "to errors\n",
     Outcome::broken, "cicc", "ptxas fatal   : Input file './tmpxft_1-6_probe.ptx' could not be opened"},
    {"fatbinary fatal   : Could not open input file './tmpxft_1-8_probe.sm_80.cubin'\n", Outcome::broken,
     "ptxas", "fatbinary fatal   : Could not open input file './tmpxft_1-8_probe.sm_80.cubin'"},
    {"probe.cu(3): catastrophic error: cannot open module id file \"./tmpxft_1-4_probe.module_id\"\n",
     Outcome::broken, "cudafe++",
     "probe.cu(3): catastrophic error: cannot open module id file \"./tmpxft_1-4_probe.module_id\""},
    {"./tmpxft_1-6_probe.cudafe1.stub.c:9:10: fatal error: tmpxft_1-3_probe.fatbin.c: No such file or "
     "directory\n",
     Outcome::broken, "fatbinary",
     "./tmpxft_1-6_probe.cudafe1.stub.c:9:10: fatal error: tmpxft_1-3_probe.fatbin.c: No such file or "
     "directory"},
    {"nvcc fatal   : Could not open output file '/nonexist/tmpxft_00003e8f_0000000a'\n", Outcome::unknown,
     "temporary folder", "nvcc fatal   : Could not open output file '/nonexist/tmpxft_00003e8f_0000000a'"},
    {"probe.cu: fatal error: error writing to ./x.ii: No space left on device\n", Outcome::unknown,
     "temporary folder", "probe.cu: fatal error: error writing to ./x.ii: No space left on device"},
    {"/opt/cuda/include/crt/sm_90_rt.hpp(81): error: identifier \"__nv_cluster\" is undefined\n",
     Outcome::refused, "crt headers",
     "/opt/cuda/include/crt/sm_90_rt.hpp(81): error: identifier \"__nv_cluster\" is undefined"},
    {"Command-line error: invalid option: --simt-only\n\n1 catastrophic error detected in this "
     "compilation.\n",
     Outcome::refused, "cudafe++", "Command-line error: invalid option: --simt-only"},
    {"nvlink fatal   : elfLink internal error\n", Outcome::refused, "nvlink",
     "nvlink fatal   : elfLink internal error"},
    {"garbage\n", Outcome::broken, "nvcc", "garbage"},
    {"", Outcome::broken, "nvcc", "ended with exit code 1 without output"},
};

}  // namespace

TEST_CASE("each real failure text gives the failed part and the relevant line") {
    for (const Row& row : k_rows) {
        CAPTURE(row.text);
        Diagnosis diagnosis = failed(row.text);
        CHECK(std::string(to_string(diagnosis.outcome)) == to_string(row.outcome));
        CHECK(to_string(diagnosis.culprit) == std::string(row.culprit));
        CHECK(diagnosis.first_error == row.first_error);
    }
}

TEST_CASE("the kind of a failure is read from the compilers' own messages") {
    const auto kind = [](const char* text) { return diagnose_text(text, ProbeKind::ptx).failure; };
    CHECK(kind("ptxas next.ptx, line 1; fatal   : Unsupported .version 9.1; current version is '9.0'") ==
          Failure::ptx_version);
    CHECK(kind("ptxas old.ptx, line 2; error   : PTX .version 7.0 does not support .target sm_90") ==
          Failure::other);
    CHECK(kind("nvcc fatal   : Unsupported gpu architecture 'compute_50'") == Failure::architecture);
    CHECK(kind("ptxas fatal   : Value 'sm_999' is not defined for option 'gpu-name'") ==
          Failure::architecture);
    CHECK(kind("nvcc fatal   : Value 'x' is not defined for option 'gpu-architecture'") == Failure::other);
    CHECK(kind("ptxas bt.ptx, line 2; fatal   : Unsupported .target 'sm_999'") == Failure::architecture);
    CHECK(kind("ptxas fatal   : Unknown option '-frobnicate'") == Failure::other);
    CHECK(kind("tileiras: for the --gpu-name option: Cannot find option named 'sm_90'!") ==
          Failure::architecture);
    CHECK(kind("ptxas fatal   : Unresolved extern function 'cb'") == Failure::unlinked);
    CHECK(kind("#error -- unsupported GNU version! gcc versions later than 11 are not supported!") ==
          Failure::host_compiler);
    CHECK(
        kind("mathcalls.h(79): error: exception specification is incompatible with that of previous function "
             "\"cospi\" (declared at line 2595 of /opt/cuda/include/crt/math_functions.h)") ==
        Failure::c_library);
    CHECK(
        kind("mathcalls.h(79): error: exception specification is incompatible with that of previous function "
             "\"cospi\" (declared at line 7 of /home/me/src/math.h)") == Failure::other);
}

TEST_CASE("a refused .version gives the newest version that is read") {
    auto of_driver = diagnose_text(
        "ptxas application ptx input, line 1; fatal   : Unsupported .version 99.9; current version is "
        "'8.2'\n",
        ProbeKind::driver_jit);
    REQUIRE(of_driver.accepts_up_to);
    CHECK(of_driver.accepts_up_to->text() == "8.2");
    CHECK_FALSE(current_version_in("Unsupported .version 9.5; current version is ''"));
    CHECK_FALSE(current_version_in("nothing of the kind"));
    CHECK_FALSE(current_version_in("current version is '"));
}

TEST_CASE("an unknown architecture is distinguished from other refusals") {
    CHECK(is_unknown_gpu_name("ptxas fatal   : Value 'sm_100' is not defined for option 'gpu-name'\n"));
    CHECK_FALSE(
        is_unknown_gpu_name("ptxas application ptx input, line 2; fatal   : Unsupported .target 'sm_100'"));
}

TEST_CASE("an accepted compile has no first error, whatever its warnings") {
    ProcessResult run;
    run.state = ProcessResult::State::exited;
    run.err =
        "nvcc warning : Support for offline compilation for architectures prior to 75 will be removed\n";
    Diagnosis diagnosis = diagnose(run, ProbeKind::ptx, "nvcc", true);
    CHECK(diagnosis.outcome == Outcome::accepted);
    CHECK(diagnosis.first_error.empty());
}

TEST_CASE("exit code 0 without a product is broken") {
    ProcessResult run;
    run.state = ProcessResult::State::exited;
    Diagnosis silent = diagnose(run, ProbeKind::ptx, "nvcc", false);
    CHECK(silent.outcome == Outcome::broken);
    CHECK(silent.first_error == "ended with exit code 0 but made nothing");
    CHECK(silent.culprit == Culprit::nvcc);
    run.out = "hello, I am not a compiler\n";
    CHECK(diagnose(run, ProbeKind::ptx, "nvcc", false).first_error ==
          "ended with exit code 0 but made nothing, said: hello, I am not a compiler");
}

TEST_CASE("programs that do not end, crash or cannot start are broken") {
    ProcessResult run;
    run.state = ProcessResult::State::timed_out;
    run.milliseconds = 60012;
    CHECK(diagnose(run, ProbeKind::ptx, "nvcc", false).first_error == "did not end within 60 s");
    run.state = ProcessResult::State::crashed;
    run.exit_code = 11;
    CHECK(diagnose(run, ProbeKind::assemble, "ptxas", false).first_error ==
          "crashed (signal or exception 11)");
    CHECK(diagnose(run, ProbeKind::assemble, "ptxas", false).culprit == Culprit::ptxas);
    run.state = ProcessResult::State::not_started;
    run.trouble = "Exec format error";
    CHECK(diagnose(run, ProbeKind::ptx, "nvcc", false).first_error ==
          "could not be started: Exec format error");
    CHECK(diagnose(run, ProbeKind::ptx, "nvcc", true).outcome == Outcome::broken);
}

TEST_CASE("a part that crashes under nvcc is broken even if no message names it") {
    Diagnosis diagnosis = failed("Segmentation fault\n", ProbeKind::ptx, 139);
    CHECK(diagnosis.outcome == Outcome::broken);
    CHECK(diagnosis.culprit == Culprit::unknown);
    CHECK(diagnosis.first_error == "a program that nvcc started crashed (exit code 139)");
}

TEST_CASE("the front end that cicc and cudafe++ share is distinguished by what was compiled") {
    const char* const text = "Command-line error: invalid option: --simt-only\n";
    CHECK(failed(text, ProbeKind::ptx).culprit == Culprit::cicc);
    CHECK(failed(text, ProbeKind::object).culprit == Culprit::cudafe);
}

TEST_CASE("a very long line is cut at a whole character") {
    std::string text = "x.c:1:1: error: ";
    for (int i = 0; i < 300; ++i) text += "\xc3\xa9";
    Diagnosis diagnosis = failed(text.c_str());
    CHECK(diagnosis.first_error.size() < 410);
    CHECK(diagnosis.first_error.substr(diagnosis.first_error.size() - 6) == "\xc3\xa9 ...");
}

TEST_CASE("a ptxas that prints a reason and then crashes has refused; one that only crashes is broken") {
    ProcessResult run;
    run.state = ProcessResult::State::crashed;
    run.exit_code = 11;
    run.err =
        "ptxas probe.ptx, line 9; fatal   : Unsupported .version 9.0; current version is '8.0'\n";  // 12.0.140
    const Diagnosis refused = diagnose(run, ProbeKind::assemble, "ptxas", false);
    CHECK(refused.outcome == Outcome::refused);
    CHECK(refused.accepts_up_to->text() == "8.0");
    CHECK(refused.first_error ==
          "ptxas probe.ptx, line 9; fatal   : Unsupported .version 9.0; current version is '8.0'");
    run.err = "ptxas warning : something\n";
    CHECK(diagnose(run, ProbeKind::assemble, "ptxas", false).outcome == Outcome::broken);
    run.err.clear();
    CHECK(diagnose(run, ProbeKind::assemble, "ptxas", false).first_error ==
          "crashed (signal or exception 11)");
}
