// SPDX-License-Identifier: Apache-2.0
#include "recipes/shell/shell.hpp"

#include <doctest/doctest.h>

#include "model/text.hpp"
#include "steps.hpp"

using namespace ptxguard::recipes;

namespace {

Shell with(const std::vector<std::pair<std::string, std::string>>& variables, bool fixed = true) {
    Shell shell;
    for (const auto& [name, value] : variables) {
        Variable variable;
        variable.value.text = value;
        variable.value.fixed = fixed;
        variable.exported = true;
        shell.variables.set(name, variable);
    }
    return shell;
}
std::string read(const std::string& text, Shell shell = {}) {
    return lines_of_steps(read_shell(PlacedText("x.sh", text), shell));
}

}  // namespace

TEST_CASE("words are split as a shell splits them, and keep their places") {
    CHECK(read("nvcc -o 'a b' \"c d\" e\\ f #no") == "1:1 nvcc -o a b c d e f\n");
    CHECK(read("a && b || c; d | e & f") == "1:1 a\n1:6 b\n1:11 c~\n1:14 d\n1:18 e\n1:22 f\n");
    CHECK(read("a \\\n  b\n  c") == "1:1 a b\n3:3 c\n");
    CHECK(read("a \\\r\n  b\r\n  c\r\n") == "1:1 a b\n3:3 c\n");
    CHECK(read("echo $'x' \"y\"'z'") == "1:1 echo x yz\n");
    CHECK(read("a >out 2>&1 <in b") == "1:1 a b\n");
    CHECK(read("cat <<EOF >f\nnvcc\nEOF\nb") == "1:1 cat\n4:1 b\n");
    CHECK(read("cat <<-'E' | tee f && b\n\tnvcc\n\tE\nc") == "1:1 cat\n1:14 tee f\n1:23 b\n4:1 c\n");
    CHECK(read("echo $(nvcc --version | tail -1) x") == "1:1 echo $(nvcc --version | tail -1)? x\n");
    CHECK(read("echo `a b` 'x") == "");
    CHECK(read("") == "");
}

TEST_CASE("known variables are replaced") {
    CHECK(read("V=12.4; nvcc $V \"${V}\" '$V' ${W} cuda-${V}") == "1:9 nvcc 12.4 12.4 $V ${W}? cuda-12.4\n");
    CHECK(read("P='a b'; x $P \"$P\" c$P") == "1:10 x a b a b ca b\n");
    CHECK(read("x ${A:-b} ${A-c} ${V:-d} ${V:+e} ${E:-f} ${E-g}", with({{"V", "v"}, {"E", ""}})) ==
          "1:1 x b~ c~ v e f\n");
    CHECK(read("x ${V%.*} ${V%%.*} ${V#*.} ${V##*.} ${V//./} ${V/./-} ${V:0:4} ${#V}",
               with({{"V", "12.4.1"}})) == "1:1 x 12.4 12 4.1 1 1241 12-4.1 12.4 6\n");
    CHECK(read("x cu${V//./}", with({{"V", "12.4"}}, false)) == "1:1 x cu124~\n");
    CHECK(read("A=(torch==2.5.1 'x y'); A+=(z); pip-x \"${A[@]}\" ${A[0]}") ==
          "1:33 pip-x torch==2.5.1 x y z torch==2.5.1\n");
    CHECK(read("A=1 B=2 cmd; echo $A") == "1:9 A=1 B=2 cmd\n1:14 echo $A?\n");
}

TEST_CASE("a variable, a calculation and a command with one name") {
    CHECK(read("echo=7; x ${echo} $echo") == "1:9 x 7 7\n");
    CHECK(read("x $(echo)y") == "1:1 x y\n");
    CHECK(read("x $((echo))y") == "1:1 x $((echo))y?\n");
}

TEST_CASE("exported variables reach the commands after them") {
    CHECK(read("export TORCH_CUDA_ARCH_LIST='8.0 9.0' && make; unset TORCH_CUDA_ARCH_LIST; b") ==
          "1:42 TORCH_CUDA_ARCH_LIST=8.0 9.0 make\n1:76 b\n");
    CHECK(read("A=1; export A; b; (export C=2; d); e") == "1:16 A=1 b\n1:32 A=1 C=2 d\n1:36 A=1 e\n");
    Shell script;
    script.is_script = true;
    CHECK(read("export A=1\nb", script) == "1:10 A=1\n2:1 A=1 b\n");
}

TEST_CASE("branches are decided if both sides are known") {
    const std::string text = "if [ \"$V\" = 12 ]; then a; elif [ $V = 11 ]; then b; else c; fi; d";
    CHECK(read(text, with({{"V", "12"}})) == "1:24 a\n1:65 d\n");
    CHECK(read(text, with({{"V", "11"}})) == "1:50 b\n1:65 d\n");
    CHECK(read(text, with({{"V", "10"}})) == "1:58 c\n1:65 d\n");
    CHECK(read(text, with({{"V", "12"}}, false)) == "1:24 a~\n1:65 d\n");
    CHECK(read(text) == "1:24 a~\n1:50 b~\n1:58 c~\n1:65 d\n");
    CHECK(read("[ \"$V\" = 12 ] && a || b; c", with({{"V", "12"}})) == "1:18 a\n1:23 b~\n1:26 c\n");
    CHECK(read("[ \"$V\" = 12 ] && a || b; c", with({{"V", "1"}})) == "1:23 b\n1:26 c\n");
    CHECK(read("[[ $V == 12.* && -n $X ]] && a && b; c") == "1:30 a~\n1:35 b~\n1:38 c\n");
    CHECK(read("case $V in 12.*|13) a;; 11.8) b;; *) c;; esac", with({{"V", "11.8"}})) == "1:31 b\n");
    CHECK(read("case $V in 12.*) a;; *) c;; esac") == "1:18 a~\n1:25 c~\n");
    CHECK(read("while true; do a; done") == "1:16 a~\n");
}

TEST_CASE("loops with known values and functions are unrolled") {
    CHECK(read("for v in 11.8 12.4; do get cuda-$v; done") == "1:24 get cuda-11.8\n1:24 get cuda-12.4\n");
    CHECK(read("for v in $X; do get $v; done") == "1:17 get $v?\n");
    CHECK(read("f() { nvcc $1; }\nf a\nf b") == "1:7 nvcc a\n1:7 nvcc b\n");
    CHECK(read("function f { f; }\nf") == "");
}

TEST_CASE("commands that run commands") {
    CHECK(read("sudo -E -u me env A=1 nvcc x") == "1:23 A=1 nvcc x\n");
    CHECK(read("srun -N 1 gosu me sh -c 'nvcc x'") == "1:26 nvcc x\n");
    CHECK(read("sudo --user me setarch x86_64 NVCC.exe x") == "1:31 NVCC.exe x\n");
    CHECK(read("bash -exo pipefail -c 'a b && c'") == "1:24 a b\n1:31 c\n");
    CHECK(read("bash -c \"V=1; x \\$V\"") == "1:15 x 1\n");
    CHECK(read("bash <<EOF\nnvcc a\nEOF\nb") == "2:1 nvcc a\n4:1 b\n");
    CHECK(read("time nohup timeout -k 5 60 nvcc") == "1:28 nvcc\n");
    CHECK(read("bash script.sh -c") == "1:1 bash script.sh -c\n");
}

TEST_CASE("unterminated text gives what was read before it, and is reported") {
    Shell shell;
    const PlacedText text("x.sh", "nvcc a\nb 'c\nd");
    CHECK(lines_of_steps(read_shell(text, shell)) == "1:1 nvcc a\n");
    REQUIRE(shell.problems.size() == 1);
    CHECK(shell.problems[0].at.line == 2);
    Shell other;  // nothing of it may be about packages or device code
    CHECK(lines_of_steps(read_shell(PlacedText("x.sh", "a\nb 'c\nd"), other)) == "1:1 a\n");
    CHECK(other.problems.empty());
    std::string deep(5000, '(');
    CHECK(read(deep) == "");
    CHECK(read("x " + std::string(5000, '$') + std::string(5000, '{')).size() > 0);
    std::string nested;
    for (int i = 0; i < 200; ++i) nested += "$(";
    CHECK(read("x \"" + nested).empty());
}

TEST_CASE("functions and loops that repeat themselves end in bounded time") {
    Shell shell;
    const PlacedText text("x.sh", "f() { f; f; f; f; }\nf\n");
    CHECK(read_shell(text, shell).empty());
    REQUIRE(shell.problems.size() == 1);
    CHECK(ptxguard::starts_with(shell.problems[0].why, "exceeds the limit of 12 calls"));
    CHECK(shell.files.budget().is_over());
    CHECK(shell.files.budget().place().line == 1);
    std::string loops, ends;
    for (int i = 0; i < 6; ++i) {
        loops += "for v in 1 2 3 4 5 6 7 8 9 a b c d e f; do ";
        ends += "done; ";
    }
    CHECK(read(loops + "X=1; " + ends) == "");
}

TEST_CASE("cmd and PowerShell") {
    Shell cmd;
    cmd.kind = ShellKind::cmd;
    // cmd replaces variables before it splits the command.
    CHECK(read("set A=b --c d\na %A% \"%A%\"", cmd) == "2:1 A=b --c d a b --c d b --c d\n");
    CHECK(read("set A=C:\\b c\na %A%", cmd) == "2:1 A=C:\\b c a C:\\b c\n");
    CHECK(read("set V=12.4&& nvcc \"a b\" %V% %X% 2>&1 && b ^\n c", cmd) ==
          "1:14 V=12.4 nvcc a b 12.4 %X%?\n1:41 V=12.4 b c\n");
    const auto part = [&](const std::string& text) {
        return read("set V=12.4.1\nnvcc " + text, cmd).substr(4);
    };
    CHECK(part("cu%V:.=%") == "V=12.4.1 nvcc cu1241\n");
    CHECK(part("%V:~0,4%") == "V=12.4.1 nvcc 12.4\n");
    CHECK(part("%V:~0,-2% %V:~-1% %V:~3%") == "V=12.4.1 nvcc 12.4 1 4.1\n");
    CHECK(part("%V:~x% %V:y%").find('?') != std::string::npos);
    Shell power;
    power.kind = ShellKind::powershell;
    CHECK(read("$env:V = '12'; nvcc $env:V 'a b' \"c $V\"; d", power) ==
          "1:16 V=12 nvcc 12 a b c 12\n1:42 V=12 d\n");
    CHECK(read("nvcc (Join-Path $d 'a)b.txt') c", power) == "1:1 nvcc (Join-Path $d 'a)b.txt')? c\n");
    CHECK(read("if (Test-Path (x y)) { nvcc a }", power) == "1:24 nvcc~ a~\n");
}

TEST_CASE("the value of an assignment in PowerShell is known only if it follows from the text") {
    const auto value = [](const std::string& text) {
        Shell power;
        power.kind = ShellKind::powershell;
        const std::string all = read("$env:V = '12.4.1'\n" + text + "\nnvcc $v2", power);
        return all.substr(all.rfind("nvcc "));
    };
    CHECK(value("$v2 = '12.4'") == "nvcc 12.4\n");
    CHECK(value("$v2=\"12.4\"") == "nvcc 12.4\n");
    CHECK(value("$v2 = $env:V") == "nvcc 12.4.1\n");
    CHECK(value("$v2 = \"cu$env:V\"") == "nvcc cu12.4.1\n");
    CHECK(value("$v2 = 12") == "nvcc 12\n");
    CHECK(value("$v2 = $env:V.Replace('.','')") == "nvcc 1241\n");
    CHECK(value("$v2 = $env:V.Substring(0, 2)") == "nvcc 12\n");
    CHECK(value("$v2 = 'cu' + ($env:V -replace '\\.', '') # why") == "nvcc cu1241\n");
    CHECK(value("$v2 = $env:V.Split('.')[0]") == "nvcc 12\n");
    CHECK(value("$v2 = $env:V.Remove($env:V.LastIndexOf('.')).Replace('.', '')") == "nvcc 124\n");
    CHECK(value("$v2 = '12' + '4'") == "nvcc 124\n");
    const std::string table = "$t = @{\n  \"11.8.0\" = \"a\";\n  '12.4.1' = 'b'; Name = 'c'; n = 1\n}\n";
    CHECK(value(table + "$v2 = $t[$env:V]") == "nvcc b\n");
    CHECK(value(table + "$v2=$t['11.8.0'] + $t.name") == "nvcc ac\n");
    CHECK(value(table + "if ($t.ContainsKey($env:V)) { $v2 = 'x' } else { $v2 = 'y' }") == "nvcc x\n");
    CHECK(value(table + "if ($t.containsKey('13')) { $v2 = 'x' } else { $v2 = 'y' }") == "nvcc y\n");
    for (const char* text : {"$v2 = $t['13']", "$v2 = $t.n", "$v2 = $t[$other]", "$v2 = $t['11.8.0'"})
        CHECK_MESSAGE(value(table + text).find('?') != std::string::npos, text);
    CHECK(value("$v2 = 'cu{0}-{1}' -f $env:V, 'x'") == "nvcc cu12.4.1-x\n");
    CHECK(value("param(\n  [Parameter()][string]$v2 = \"12.2\",\n  [switch]$Force\n)") == "nvcc 12.2~\n");
    for (const char* text : {"$v2 = $env:V -replace '[0-9]+',''", "$v2 = nvcc --version", "$v2 = Get-Version",
                             "$v2 = \"$(nvcc)\"", "$v2 = $env:V.Length", "$v2 = $list[0]",
                             "$v2 = (Get-Item x).Name", "$v2 = '12'\n$v2 += '4'",
                             "$v2 = $other.Replace('.', '')", "$v2 = $env:V.PadLeft(9).Replace('.', '')"})
        CHECK_MESSAGE(value(text).find('?') != std::string::npos, text);
}

TEST_CASE("arrays with keys, and variables that others name") {
    CHECK(read("declare -A A=( [\"11.8\"]=\"a\" [12.1]=b )\nnvcc ${A[11.8]} ${A[@]} ${!A[@]}") ==
          "2:1 nvcc a a b 11.8 12.1\n");
    CHECK(read("declare -A A\nA[x]=1\nA[x]=2\nk=x\nnvcc \"${A[$k]}\"") == "5:1 nvcc 2\n");
    CHECK(read("A=(1 2)\nnvcc ${!A[@]} ${A[y]}").find('?') != std::string::npos);
    CHECK(read("N=V\nV=12\nnvcc ${!N}") == "3:1 nvcc 12\n");
    CHECK(read("nvcc ${!N}").find('?') != std::string::npos);
}

TEST_CASE("time before a compound command is a word of the shell") {
    CHECK(read("time { a; }\nb") == "1:8 a\n2:1 b\n");
    CHECK(read("time ( a )") != "");
    CHECK(read("time -p for i in 1; do a; done") != "");
    CHECK(read("time -f %e nvcc a.cu").find("nvcc a.cu") != std::string::npos);
}

TEST_CASE("what echo prints of a pattern is not known") {
    CHECK(read("pip $(echo dist/*.whl)[test]").find('?') != std::string::npos);
    CHECK(read("pip $(echo 'torch==2.*')") == "1:1 pip torch==2.*\n");
}

TEST_CASE("files that options name are written, with a text that is not known") {
    for (const char* text :
         {"curl -fsSLo r.txt https://example.org/all", "curl --output=r.txt https://example.org/all",
          "curl -fsSLO 'https://example.org/r.txt?raw=1'", "sudo wget -q https://example.org/r.txt",
          "wget -O r.txt https://example.org/all", "uv pip compile r.in -o r.txt",
          "pip-compile --output-file=r.txt r.in", "poetry export -f requirements.txt -o r.txt",
          "/opt/venv/bin/ptxguard check --constraints /opt/r.txt"}) {
        Shell shell;
        read_shell(PlacedText("x.sh", text), shell);
        const FileText* file = shell.written->find("r.txt");
        CHECK_MESSAGE((file && !file->known), std::string(text));
    }
    for (const char* text : {"curl https://example.org/r.txt", "wget -O - https://example.org/r.txt",
                             "wget -O /dev/null https://example.org/r.txt", "pip download -r r.txt"}) {
        Shell shell;
        read_shell(PlacedText("x.sh", text), shell);
        CHECK_MESSAGE(!shell.written->find("r.txt"), std::string(text));
    }
}
