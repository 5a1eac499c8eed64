// Which commands run: loops over arguments, commands that leave, scripts of the repository, conditions of cmd
// and PowerShell. Each with a similar text where the value is not known.
// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>

#include "model/text.hpp"
#include "recipe_words.hpp"
#include "recipes/shell/shell.hpp"
#include "recipes/shell/shell_scripts.hpp"
#include "steps.hpp"

using namespace ptxguard::recipes;

namespace {

std::string flow(const std::string& text, ShellKind kind = ShellKind::posix, const Files& files = {}) {
    Shell shell;
    shell.kind = kind;
    shell.files = below_workspace(reader_of(files));
    return lines_of_steps(read_shell(PlacedText("x", text), shell));
}
// The last command, without its place.
std::string last(const std::string& text, ShellKind kind = ShellKind::posix, const Files& files = {}) {
    const std::string all = flow(text, kind, files);
    const std::size_t line = all.rfind('\n', all.size() < 2 ? 0 : all.size() - 2);
    const std::string one = all.substr(line == std::string::npos ? 0 : line + 1);
    return one.substr(0, 4) == "FAIL" ? one : one.substr(std::min(one.find(' ') + 1, one.size()));
}
std::string called(const std::string& script, const std::string& arguments) {
    return last("bash ci/x.sh " + arguments, ShellKind::posix, {{"ci/x.sh", script}});
}

}  // namespace

TEST_CASE("options of a script that is called with them") {
    const std::string by_case =
        "CUDA=11.8\nwhile [[ $# -gt 0 ]]; do\n  case $1 in\n    --cuda) CUDA=\"$2\"; shift 2 ;;\n"
        "    --cuda=*) CUDA=${1#*=}; shift ;;\n    -h) exit 0 ;;\n    *) shift ;;\n  esac\ndone\nnvcc "
        "$CUDA\n";
    CHECK(called(by_case, "--cuda 12.4") == "nvcc 12.4\n");
    CHECK(called(by_case, "-v --cuda=12.1") == "nvcc 12.1\n");
    CHECK(called(by_case, "") == "nvcc 11.8\n");
    CHECK(called(by_case, "-h") == "");
    CHECK(called(by_case, "--cuda $X").find("12") == std::string::npos);
    // Without its arguments the default is one of the values.
    CHECK(last(by_case) == "nvcc 11.8~\n");
    const std::string by_getopts =
        "while getopts \"hc:t:\" o; do case \"$o\" in c) C=$OPTARG ;; t) T=$OPTARG ;; *) exit 1 ;; esac; "
        "done\n"
        "shift $((OPTIND - 1))\nnvcc $C $T $1\n";
    CHECK(called(by_getopts, "-c 12 -t2.5 rest") == "nvcc 12 2.5 rest\n");
    CHECK(called(by_getopts, "-h -c 12") == "");
    CHECK(last(by_getopts).find('?') != std::string::npos);
    const std::string forever =
        "f() {\nwhile :; do\n  case $1 in --cuda) if [ \"$2\" ]; then C=$2; shift; else exit 1; fi ;;\n"
        "  --) shift; break ;;\n  *) break ;;\n  esac\n  shift\ndone\n}\nf \"$@\"\nnvcc $C\n";
    CHECK(called(forever, "--cuda 12.4") == "nvcc 12.4\n");
    CHECK(called("while (( $# )); do A=\"$A$1\"; shift; done\nset -- x y\nnvcc $2 $#\n", "a b") ==
          "nvcc y 2\n");
}

TEST_CASE("what a command leaves is not executed") {
    CHECK(flow("a\nexit 0\nb\n") == "1:1 a\n");
    CHECK(flow("if [ 1 = 1 ]; then a; exit; fi\nb\n") == "1:20 a\n");
    CHECK(flow("if [ $X = 1 ]; then a; exit; fi\nb\n") == "1:21 a~\n2:1 b\n");
    CHECK(flow("which x || exit 1\nb\n") == "1:1 which x\n2:1 b\n");
    CHECK(flow("(exit 1)\nb\n") == "2:1 b\n");
    CHECK(flow("f() { if [ $1 = a ]; then return 1; fi; nvcc $1; }\nf a\nf b\n") == "1:41 nvcc b\n");
    CHECK(flow("f() { [ $1 = a ]; }\nif f a; then x; else y; fi\nif ! f a; then x; else y; fi\n") ==
          "2:14 x\n3:24 y\n");
    CHECK(flow("for v in 1 2 3; do if [ $v = 2 ]; then continue; fi; nvcc $v; done\n") ==
          "1:54 nvcc 1\n1:54 nvcc 3\n");
    CHECK(flow("for v in 1 2 3; do nvcc $v; [ $v = 2 ] && break; done\n") == "1:20 nvcc 1\n1:20 nvcc 2\n");
    CHECK(flow("for v in 1 2; do nvcc $v; test -f x && break; done\n") == "1:18 nvcc 1\n1:18 nvcc 2\n");
}

TEST_CASE("exit ends the branch that may run, and no other command") {
    const std::string both = "if [ $A = b ]; then x; exit 0; y; else z; fi; nvcc";
    CHECK(flow(both) == "1:21 x~\n1:40 z~\n1:47 nvcc\n");
    CHECK(flow("[ $A = b ] && exit 0; nvcc") == "1:23 nvcc\n");
    CHECK(flow("x || { exit 1; y; }; nvcc") == "1:1 x\n1:22 nvcc\n");
}

TEST_CASE("numbers, joined tests and texts in tests") {
    const auto answer = [](const std::string& test) {
        const std::string all = flow("V=12\nif " + test + "; then yes; else no; fi\n");
        return all.find('~') != std::string::npos     ? "open"
               : all.find("yes") != std::string::npos ? "yes"
                                                      : "no";
    };
    CHECK(answer("[ $V -ge 12 ]") == "yes");
    CHECK(answer("[[ $V -lt 9 ]]") == "no");
    CHECK(answer("[[ $V == 12 && $V -gt 11 ]]") == "yes");
    CHECK(answer("[[ $V == 11 || $V == 12 ]]") == "yes");
    CHECK(answer("[ $V = 11 -o $X = 1 ]") == "open");
    CHECK(answer("[ $V = 11 -a $X = 1 ]") == "no");
    CHECK(answer("! [ $V = 11 ]") == "yes");
    CHECK(answer("[[ \" 11 12 \" =~ \" $V \" ]]") == "yes");
    CHECK(answer("[[ $V =~ ^1[0-9]$ ]]") == "open");
    CHECK(answer("(( V > 11 && V % 2 == 0 ))") == "yes");
    CHECK(answer("(( W > 11 ))") == "open");
    CHECK(flow("V=12; nvcc $((V * 10 + 4)) $((W + 1)) $((V / 0))") ==
          "1:7 nvcc 124 $((W + 1))? $((V / 0))?\n");
}

TEST_CASE("scripts beside a script, files of values, and what they print") {
    const Files files = {
        {"ci/x.sh", "source \"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)/lib.sh\"\ninstall 12\n"},
        {"ci/y.sh",
         "HERE=$(dirname \"$0\")\n. \"$HERE/versions.env\"\nnvcc $CUDA $(cat \"$HERE/../torch.txt\")\n"},
        {"ci/lib.sh", "install() { nvcc $1; }\n"},
        {"ci/versions.env", "CUDA=12.4\n"},
        {"torch.txt", "2.5.1\n"},
        {"two.txt", "2.5.1\n2.6.0\n"}};
    CHECK(last("bash ci/x.sh", ShellKind::posix, files) == "nvcc 12\n");
    CHECK(last("ci/y.sh", ShellKind::posix, files) == "nvcc 12.4 2.5.1\n");
    CHECK(last("source ci/z.sh 12", ShellKind::posix, {{"ci/z.sh", "nvcc $1\n"}}) == "nvcc 12\n");
    CHECK(last("nvcc $(cat two.txt)", ShellKind::posix, files) == "nvcc 2.5.1 2.6.0\n");
    CHECK(last("tag() { case $1 in 11.8) echo cu118 ;; 12.*) echo cu12; esac; }\nnvcc $(tag 12.4)") ==
          "nvcc cu12\n");
    CHECK(last("tag() { echo \"unknown\" >&2; echo $1 | tr -d .; }\nnvcc cu$(tag 12.4)") == "nvcc cu124\n");
    CHECK(last("tag() { if [ $X = 1 ]; then echo a; else echo b; fi; }\nnvcc $(tag)").find('?') !=
          std::string::npos);
    CHECK(last("nvcc $(if x; y)").find('?') != std::string::npos);  // a function of make
    CHECK(last("tag() { uname -m; }\nnvcc $(tag)").find('?') != std::string::npos);
    CHECK(last("nvcc $(case 12 in 11) echo a;; 12) echo b;; esac)") == "nvcc b\n");
    CHECK(last("IFS=. read -r a b c <<< \"12.4.1\"\nnvcc $a$b") == "nvcc 124\n");
    CHECK(last("IFS=. read -ra V <<< \"12.4.1\"\nnvcc ${V[1]}") == "nvcc 4\n");
    CHECK(last("V=12; read V; nvcc $V").find('?') != std::string::npos);
    CHECK(last(": \"${CUDA:=12.4}\"\nnvcc $CUDA") == "nvcc 12.4~\n");
}

TEST_CASE("a function that runs its arguments, defined elsewhere") {
    CHECK(flow("retry pip install torch==2.5.1") == "1:7 pip: torch==2.5.1@1:19\n");
    CHECK(flow("run_quiet python3 -m pip install a") == "1:22 pip: a@1:34\n");
    CHECK(flow("Invoke pip install a", ShellKind::powershell) == "1:8 pip: a@1:20\n");
    CHECK(flow("echo pip install a") == "1:1 echo pip install a\n");
    CHECK(flow("log_run apt install a") == "1:1 log_run apt install a\n");
}

TEST_CASE("a switch that a branch turns which may not run is neither on nor off") {
    const std::string test = "\nif [ $GPU = true ]; then nvcc a; else nvcc b; fi";
    const auto both = [](const std::string& flow) {
        return flow.find("nvcc~ a~") != std::string::npos && flow.find("nvcc~ b~") != std::string::npos;
    };
    CHECK(both(flow("GPU=true; if nvidia-smi; then x; else GPU=false; fi" + test)));
    CHECK(both(flow("GPU=false; case $1 in cu*) GPU=true ;; esac" + test)));
    CHECK(both(flow("GPU=$1; if ! nvidia-smi; then GPU=false; fi" + test)));
    CHECK_FALSE(both(flow("GPU=true" + test)));
    CHECK_FALSE(both(flow("GPU=false; if true; then GPU=true; fi" + test)));
}

TEST_CASE("conditions, functions and loops of PowerShell") {
    const auto power = [](const std::string& text, const Files& files = {}) {
        return flow(text, ShellKind::powershell, files);
    };
    CHECK(power("$v = '12'\nif ($v -eq '12') { nvcc a } else { nvcc b }") == "2:20 nvcc a\n");
    CHECK(
        power("$v = '12'\nif ($v -eq '11') { nvcc a }\nelseif ($v -like '1*') { nvcc b }\nelse { nvcc c }") ==
        "3:26 nvcc b\n");
    CHECK(power("$v = '12'\nif (-not ($v -ne '12') -and $v) { nvcc a }").find("nvcc") != std::string::npos);
    CHECK(power("if ($v -eq '11') { nvcc a } else { nvcc b }") == "1:20 nvcc~ a~\n1:36 nvcc~ b~\n");
    CHECK(power("<#\n.EXAMPLE\n  nvcc a\n#>\nnvcc b <# c #> d\n<# e") == "5:1 nvcc b d\n");
    CHECK(power("$v = '12.4'\nswitch ($v) { '11.8' { $t = 'a' } \"12.4\" { $t = 'b' } default { $t = 'c' } "
                "}\nnvcc $t") == "3:1 nvcc b\n");
    CHECK(power("switch ($v) { '11.8' { $t = 'a' } }\nnvcc $t").find('?') != std::string::npos);
    CHECK(power("foreach ($t in 'cu118', 'cu121') { nvcc $t }") == "1:36 nvcc cu118\n1:36 nvcc cu121\n");
    CHECK(power("foreach ($t in @('a')) { nvcc $t }\nforeach ($t in $all) { nvcc $t }") ==
          "1:26 nvcc a\n2:24 nvcc~ $t?\n");
    CHECK(
        power(
            "function Get-It([string]$Tag, $Other = 'x') {\n  nvcc $Tag $Other\n}\nGet-It cu118\nGet-It -Tag "
            "cu121 -Other y\n") == "2:3 nvcc cu118 x~\n2:3 nvcc cu121 y\n");
    CHECK(power("./ci/x.ps1 -Cuda 12.4", {{"ci/x.ps1", "param([string]$Cuda = '11.8')\nnvcc $Cuda\n"}}) ==
          "2:1 nvcc 12.4\n");
    const Files module = {{"ci/m.psm1", "function Invoke-It($Tag) { nvcc $Tag }\n"}};
    CHECK(power("Import-Module -Force ./ci/m.psm1\nInvoke-It cu118", module) == "1:28 nvcc cu118\n");
    CHECK(power("Import-Module Pester\nInvoke-It cu118", module) ==
          "1:1 Import-Module Pester\n2:1 Invoke-It cu118\n");
    CHECK(power("& .\\ci\\x.ps1 12.4", {{"ci/x.ps1", "param([string]$Cuda = '11.8')\nnvcc $Cuda\n"}}) ==
          "2:1 nvcc 12.4\n");
    CHECK(power("./ci/x.ps1", {{"ci/x.ps1", "param([string]$Cuda = '11.8')\nnvcc $Cuda\n"}}) ==
          "2:1 nvcc 11.8~\n");
    CHECK(flow("pwsh -NoProfile -File ci/x.ps1 12.4", ShellKind::posix,
               {{"ci/x.ps1", "param($C)\nnvcc $C\n"}}) == "2:1 nvcc 12.4\n");
}

TEST_CASE("arguments and conditions of cmd") {
    const auto cmd = [](const std::string& text, const Files& files = {}) {
        return flow(text, ShellKind::cmd, files);
    };
    CHECK(cmd("set V=12\nif \"%V%\"==\"12\" (\n  set T=a\n) else (\n  set T=b\n)\nnvcc %T%\n")
              .find("nvcc a\n") != std::string::npos);
    CHECK(cmd("set V=12\nif not \"%V%\" == \"12\" (\n  nvcc x\n)\nnvcc y\n").find("nvcc x") ==
          std::string::npos);
    CHECK(cmd("set V=12\nif /I \"%V%\"==\"12\" set T=b\nnvcc %T%\n").find("nvcc b") != std::string::npos);
    CHECK(cmd("if \"%V%\"==\"12\" (\n  set T=a\n)\nnvcc %T%\n").find("nvcc %T%?") != std::string::npos);
    const Files files = {{"ci/x.bat", "set T=cu%1\nnvcc %T% %~2 %3\n"}};
    CHECK(cmd("call ci\\x.bat 118 b", files).find("nvcc cu118 b") != std::string::npos);
    CHECK(cmd("call python -m pip install a\n") == "1:16 pip: a@1:28\n");
    CHECK(cmd("set T=cu%1\nnvcc %T%\n").find("nvcc cu%1?") != std::string::npos);
}

TEST_CASE("functions that call each other where nobody knows how often") {
    // Of a walk over libraries: two calls in each call.
    const std::string walk =
        "copy() { case \" $DONE \" in *\" $1 \"*) return ;; esac; cp \"$1\" lib/; walk \"$1\"; }\n"
        "walk() { while read -r dep; do copy \"$dep\"; other=$(find \"$dep\"); copy \"$other\"; done < <(ldd "
        "\"$1\"); }\n"
        "copy app\nnvcc after\n";
    const std::string all = flow(walk);
    CHECK(all.find("nvcc after") != std::string::npos);
    CHECK(std::count(all.begin(), all.end(), '\n') < 12);
    // With another known argument it is something new, and a call that is made for certain, too.
    CHECK(last("f() { if make; then f 12.4; fi; nvcc \"$1\"; }\nf 11.8 | cat; f 11.8\n") == "nvcc 11.8\n");
    CHECK(flow("f() { if make; then f 12.4; fi; nvcc $1; }\nf 11.8\n").find("nvcc~ 12.4~") !=
          std::string::npos);
    CHECK(last("f() { nvcc $1; [ $1 = a ] && f b; }\nf a\n") == "nvcc b\n");
}

TEST_CASE("scripts of definitions that read each other") {
    const Files files = {{"base.sh", "export KERN=\"$(uname -s)\"\nbase() { nvcc $1; }\n"},
                         {"conda.sh", ". ./base.sh\nconda_() { base conda; }\n"},
                         {"pip.sh", ". ./base.sh\n. ./conda.sh\nmake_() { conda_; }\n"}};
    CHECK(last(". ./pip.sh; . ./conda.sh; make_", ShellKind::posix, files) == "nvcc conda\n");
    // What the shell defines otherwise is defined again.
    CHECK(last(". ./base.sh; base() { nvcc mine; }; . ./base.sh; base 1", ShellKind::posix, files) ==
          "nvcc 1\n");
    const Files adds = {{"a.sh", "V=$V:x\nf() { nvcc $V; }\n"}};
    CHECK(last("V=a; . ./a.sh; . ./a.sh; f", ShellKind::posix, adds) == "nvcc a:x:x\n");
}

TEST_CASE("the result of commands in brackets") {
    const std::string test = "B=rocm; if ( [ $B = cuda ] || [ $B = l4t ] ) && [ $B ]; then nvcc; fi; gcc";
    CHECK(flow(test).find("nvcc") == std::string::npos);
    CHECK(last("B=l4t; if ( [ $B = cuda ] || [ $B = l4t ] ); then nvcc; fi") == "nvcc\n");
    CHECK(last("B=l4t; if ! ( [ $B = cuda ] ); then nvcc; fi") == "nvcc\n");
    CHECK(last("B=l4t; if ! { [ $B = cuda ]; }; then nvcc; fi") == "nvcc\n");
    CHECK(last("B=l4t; if ( [ $B = l4t ]; make ); then nvcc; fi") == "nvcc~\n");
}
