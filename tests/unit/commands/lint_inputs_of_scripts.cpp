// SPDX-License-Identifier: Apache-2.0
#include "lint_input_words.hpp"

namespace ptxguard::tests {

const std::vector<LintInput> k_dockerfile_inputs = {
    {"stages", 250,
     [](auto n) { return dockerfile_of(numbered(n, "FROM ubuntu AS s~\nRUN pip install torch==2.~\n")); }},
    {"stages in a chain", 200,
     [](auto n) {
         return dockerfile_of("FROM ubuntu AS s\n" +
                              numbered(n, "FROM s AS s\nRUN pip install torch==2.~\n"));
     }},
    {"stages from one with many ENV", 500,
     [](auto n) {
         return dockerfile_of("FROM ubuntu AS s0\n" + numbered(n, "ENV V~=value~\n") +
                              numbered(300, "FROM s0\nRUN pip install torch==2.5.1+cu125\n"));
     }},
    {"stages from one with many ARG", 500,
     [](auto n) {
         return dockerfile_of("FROM ubuntu AS s0\n" + numbered(n, "ARG V~=value~\n") +
                              numbered(300, "FROM s0\nRUN pip install torch==2.5.1+cu125\n"));
     }},
    {"stages from one with many COPY", 500,
     [](auto n) {
         return dockerfile_of("FROM ubuntu AS s0\n" + numbered(n, "COPY d~ /d~\n") +
                              numbered(300, "FROM s0\nRUN pip install torch==2.5.1+cu125\n"));
     }},
    {"stages from one with many RUN", 100,
     [](auto n) {
         return dockerfile_of("FROM ubuntu AS s0\n" + numbered(n, "RUN echo ~\n") +
                              numbered(300, "FROM s0\nRUN pip install torch==2.5.1+cu125\n"));
     }},
    {"ENV", 2000,
     [](auto n) { return dockerfile_of("FROM ubuntu\n" + numbered(n, "ENV V~=value~\n") + "RUN echo\n"); }},
    {"ENV in one line", 2000,
     [](auto n) { return dockerfile_of("FROM ubuntu\nENV " + numbered(n, "V~=value~ ") + "\nRUN echo\n"); }},
    {"ENV and RUN", 1000,
     [](auto n) {
         return dockerfile_of("FROM ubuntu\n" + numbered(n, "ENV V~=value~\nRUN pip install a\n"));
     }},
    {"ENV of ENV", 2000,
     [](auto n) { return dockerfile_of("FROM ubuntu\nENV V=1\n" + numbered(n, "ENV V=$V$V\n")); }},
    {"long ENV, used often", 1000,
     [](auto n) {
         return dockerfile_of("FROM ubuntu\nENV V=12345678\n" + repeated(12, "ENV V=$V$V\n") +
                              numbered(n, "ENV V~=$V\n"));
     }},
    {"ARG", 2000,
     [](auto n) {
         return dockerfile_of(numbered(n, "ARG V~=value~\n") + "FROM ubuntu\n" + numbered(n, "ARG V~\n"));
     }},
    {"RUN", 2000,
     [](auto n) { return dockerfile_of("FROM ubuntu\n" + numbered(n, "RUN pip install a~\n")); }},
    {"RUN, continued", 2000,
     [](auto n) {
         return dockerfile_of("FROM ubuntu\nRUN true" + numbered(n, " && \\\n  pip install a~") + "\n");
     }},
    {"RUN with a document", 1000,
     [](auto n) { return dockerfile_of("FROM ubuntu\n" + numbered(n, "RUN <<EOF\npip install a~\nEOF\n")); }},
    {"COPY and RUN of its file", 1000,
     [](auto n) {
         return Files{
             {"Dockerfile", "FROM ubuntu\n" + numbered(n, "COPY d~ /d~\n") +
                                numbered(n, "RUN pip install -r /d" + std::to_string(n - 1) + "/r.txt\n")},
             {"d" + std::to_string(n - 1) + "/r.txt", "torch\n"}};
     }},
    {"COPY to one folder", 2000,
     [](auto n) {
         return dockerfile_of("FROM ubuntu\n" + numbered(n, "COPY f~.txt /app/\n") +
                              "RUN pip install -r /app/f1.txt\n");
     }},
    {"COPY of many files", 3000,
     [](auto n) {
         return dockerfile_of("FROM ubuntu\nCOPY " + numbered(n, "f~.txt ") +
                              "/app/\nRUN pip install -r /app/r.txt\n");
     }},
    {"COPY --from", 2000,
     [](auto n) {
         return dockerfile_of("FROM ubuntu AS a\nFROM ubuntu\n" + numbered(n, "COPY --from=a /x~ /y~\n"));
     }},
    {"ONBUILD", 1000,
     [](auto n) {
         return dockerfile_of("FROM ubuntu AS a\n" + numbered(n, "ONBUILD RUN pip install a~\n") +
                              "FROM a\n");
     }},
    {"WORKDIR", 1000,
     [](auto n) { return dockerfile_of("FROM ubuntu\n" + numbered(n, "WORKDIR d\nRUN echo ~\n")); }},
    {"--mount", 1000,
     [](auto n) {
         return dockerfile_of("FROM ubuntu\nRUN " + numbered(n, "--mount=type=bind,source=s~,target=/t~ ") +
                              "echo\n");
     }},
    {"nested defaults", 500,
     [](auto n) {
         return dockerfile_of("FROM ubuntu\nENV V=" + repeated(n, "${A:-") + repeated(n, "}") + "\n");
     }},
    {"same requirements, installed often", 200,
     [](auto n) {
         return Files{
             {"Dockerfile", "FROM ubuntu\nCOPY r.txt r.txt\n" + repeated(n, "RUN pip install -r r.txt\n")},
             {"r.txt", "torch\n"}};
     }},
    {"findings in a Dockerfile", 300,
     [](auto n) { return dockerfile_of(numbered(n, "FROM ubuntu\nRUN pip install torch==2.5.1+cu125\n")); }},
};

const std::vector<LintInput> k_script_inputs = {
    {"calls of nvcc", 500,
     [](auto n) {
         return script_of(numbered(n, "nvcc -gencode arch=compute_80,code=sm_80 -ptx -o a~.ptx a~.cu\n"));
     }},
    {"toolkits of apt", 300,
     [](auto n) {
         return script_of(numbered(n, "apt-get install -y cuda-toolkit-12-~ libcudnn8=8.~.0.1-1+cuda11.8\n"));
     }},
    {"modules", 500, [](auto n) { return script_of(numbered(n, "module load cuda/12.~\n")); }},
    {"builds with CMake", 300,
     [](auto n) {
         return script_of(numbered(n,
                                   "cmake -DCMAKE_CUDA_ARCHITECTURES=80 "
                                   "-DCMAKE_CUDA_COMPILER=/usr/local/cuda-12.~/bin/nvcc .\n"));
     }},
    {"commands", 3000, [](auto n) { return script_of(numbered(n, "pip install a~\n")); }},
    {"exports", 1000, [](auto n) { return script_of(numbered(n, "export V~=value~\npip install a~\n")); }},
    {"exports of a selector", 1000,
     [](auto n) {
         return script_of(numbered(n, "export CUDA_HOME=/usr/local/cuda-12.~\npip install a~\n"));
     }},
    {"misspelt exports", 500,
     [](auto n) { return script_of(numbered(n, "export V~=$LD_LIBARY_PATH\npip install a~\n")); }},
    {"assignments before a command", 2000,
     [](auto n) { return script_of(numbered(n, "V~=1 ") + "pip install a\n"); }},
    {"subshells", 1000, [](auto n) { return script_of(numbered(n, "V~=1\n(V~=2; pip install a~)\n")); }},
    {"bash -c", 1000,
     [](auto n) { return script_of(numbered(n, "export V~=1\nbash -c 'pip install a~'\n")); }},
    {"environments", 500,
     [](auto n) { return script_of(numbered(n, "python3 -m venv v~\nv~/bin/pip install torch==2.~\n")); }},
    {"conda environments", 500,
     [](auto n) {
         return script_of(numbered(n, "conda create -n e~ python\nconda install -n e~ pytorch=2.~\n"));
     }},
    {"exports before environments", 300,
     [](auto n) {
         return script_of(numbered(n, "export V~=1\n") +
                          numbered(n, "python3 -m venv v~\nv~/bin/pip install torch==2.~\n"));
     }},
    {"for, nested", 10,
     [](auto n) {
         const std::string words = numbered(10, "w~ ");
         return script_of("for a in " + numbered(n, "w~ ") + "; do for b in " + words + "; do for c in " +
                          words + "; do echo $a $b $c; done; done; done\n");
     }},
    {"files of nested for", 10,
     [](auto n) {
         Files files;
         const std::string words = numbered(64, "w~ ");
         for (std::size_t i = 0; i < n; ++i)
             files["x" + std::to_string(i) + ".sh"] = "for a in " + words + "; do for b in " + words +
                                                      "; do for c in " + words +
                                                      "; do x=$a$b$c; done; done; done\n";
         return files;
     }},
    {"for, one after the other", 500,
     [](auto n) { return script_of(numbered(n, "for a in 1 2 3; do pip install a$a; done\n")); }},
    {"for over many words", 3000,
     [](auto n) { return script_of("for a in " + numbered(n, "w~ ") + "; do pip install $a; done\n"); }},
    {"functions", 1000,
     [](auto n) { return script_of(numbered(n, "f~() { pip install a~; }\n") + numbered(n, "f~\n")); }},
    {"functions that call each other", 1000,
     [](auto n) {
         return script_of("f0() { echo; }\n" + numbered(n, "g~() { f0; f0; }\n") + numbered(n, "g~\n"));
     }},
    {"case", 2000,
     [](auto n) { return script_of("case $x in\n" + numbered(n, "a~) pip install a~;;\n") + "esac\n"); }},
    {"patterns of case", 3000,
     [](auto n) {
         return script_of("x=a\ncase $x in\n" + numbered(n, "b*~|") + "a) pip install a;;\nesac\n");
     }},
    {"if", 2000, [](auto n) { return script_of(numbered(n, "if [ $x = ~ ]; then pip install a~; fi\n")); }},
    {"elif", 2000,
     [](auto n) {
         return script_of("if [ $x = a ]; then :\n" + numbered(n, "elif [ $x = ~ ]; then pip install a~\n") +
                          "fi\n");
     }},
    {"documents", 1000, [](auto n) { return script_of(numbered(n, "bash <<EOF\npip install a~\nEOF\n")); }},
    {"process substitution", 2000, [](auto n) { return script_of(numbered(n, "cat <(echo ~)\n")); }},
    {"arrays", 2000,
     [](auto n) { return script_of("a=()\n" + numbered(n, "a+=(x~)\n") + "pip install ${a[@]}\n"); }},
    {"arrays, used often", 300,
     [](auto n) { return script_of("a=(" + numbered(n, "x~ ") + ")\n" + repeated(300, "echo ${a[1]}\n")); }},
    {"appended variables", 2000,
     [](auto n) { return script_of("a=\n" + numbered(n, "a+=x~\n") + "pip install $a\n"); }},
    {"doubled variables", 2000,
     [](auto n) { return script_of("a=12345678\n" + repeated(13, "a=$a$a\n") + numbered(n, "echo $a\n")); }},
    {"quotes", 3000, [](auto n) { return script_of("echo " + repeated(n, "\"a\"'b'$c") + "\n"); }},
    {"cut patterns", 500,
     [](auto n) { return script_of("a=" + repeated(60, "ab") + "\n" + numbered(n, "b~=${a%%*a*a*x}\n")); }},
    {"one long pattern", 100,
     [](auto n) { return script_of("a=" + repeated(500, "a") + "\nb=${a%%" + repeated(n, "*a") + "b}\n"); }},
    {"replaced patterns", 300,
     [](auto n) { return script_of("a=" + repeated(60, "ab") + "\n" + numbered(n, "b~=${a//*x/y}\n")); }},
    {"one command with many words", 5000,
     [](auto n) { return script_of("pip install " + numbered(n, "a~ ") + "\n"); }},
    {"one word with many short options", 5000,
     [](auto n) { return script_of("pip install -" + repeated(n, "q") + " a\n"); }},
    {"nested commands", 20,
     [](auto n) {
         return script_of(repeated(n, "if true; then ") + "pip install a" + repeated(n, "; fi") + "\n");
     }},
    {"variables in batch files", 1000,
     [](auto n) {
         return Files{{"x.bat", numbered(n, "set V~=1\npip install a%V~%\n")}};
     }},
    {"values that PowerShell computes", 1000,
     [](auto n) {
         return Files{{"x.ps1", numbered(n, "$V~ = 'cu' + ('12.~' -replace '\\.', '')\npip install a$V~\n")}};
     }},
    {"keys of an array", 1000,
     [](auto n) {
         return script_of("declare -A A=(" + numbered(n, "[k~]=a~ ") + ")\n" +
                          numbered(n, "pip install ${A[k~]}\n"));
     }},
    {"variables in PowerShell", 1000,
     [](auto n) {
         return Files{{"x.ps1", numbered(n, "$env:V~ = 1\npip install a$V~\n")}};
     }},
    {"selectors in PATH", 500,
     [](auto n) { return script_of(numbered(n, "export PATH=/opt/v~/bin:$PATH\npip install a~\n")); }},
};

}  // namespace ptxguard::tests
