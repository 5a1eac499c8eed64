// The commands that Python code runs, its values, and the findings of the judge.
// SPDX-License-Identifier: Apache-2.0
#include "recipes/python/python_script.hpp"

#include <doctest/doctest.h>

#include "judged.hpp"
#include "steps.hpp"

using namespace ptxguard;
using namespace ptxguard::recipes;

namespace {

std::string python(const std::string& text) {
    const Recipe recipe = read_python_script("build.py", text, {});
    std::string all;
    for (const Stage& stage : recipe.stages)
        all += (stage.name.empty() ? "" : "[" + stage.name + "]\n") + lines_of_steps(stage.steps);
    for (const Recipe::Problem& problem : recipe.problems) all += "problem: " + problem.why + "\n";
    return all;
}

// What `nvcc VALUE` gets.
std::string value(const std::string& statements, const std::string& expression) {
    const std::string all = python(statements + "\nsubprocess.run(['nvcc', " + expression + "])\n");
    return all.substr(all.find("nvcc ") + 5, all.rfind('\n') - all.find("nvcc ") - 5);
}

const std::string k_pip =
    "import subprocess, sys\n\n\ndef pip(*args):\n"
    "    subprocess.check_call([sys.executable, '-m', 'pip', 'install', *args])\n\n\n";

}  // namespace

TEST_CASE("commands that Python runs, as words and as text") {
    CHECK(python("import subprocess\nsubprocess.run(['nvcc', '-arch=sm_75', 'a.cu'], check=True)\n") ==
          "2:18 nvcc -arch=sm_75 a.cu\n");
    CHECK(python("import os\nos.system(\"nvcc a.cu && nvcc b.cu\")\n") == "2:12 nvcc a.cu\n2:25 nvcc b.cu\n");
    CHECK(python("cmd = 'nvcc'\ncmd += ' a.cu'\nsubprocess.call(cmd, shell=True)\n") == "1:8 nvcc a.cu\n");
    CHECK(python("subprocess.run('''nvcc a.cu\nnvcc b.cu''', shell=True)\n") ==
          "1:19 nvcc a.cu\n2:1 nvcc b.cu\n");
    CHECK(python("print('nvcc a.cu')\nlog.info('nvcc b.cu')\n") == "");
}

TEST_CASE("values that follow from the text") {
    CHECK(value("v = '12.4'", "'cu' + v.replace('.', '')") == "cu124");
    CHECK(value("a, b = '12.4'.split('.')", "f'cu{a}{b}'") == "cu124");
    CHECK(value("v = {'a': '11.8', 'b': '12.1'}", "v['b']") == "12.1");
    CHECK(value("v = [80, 90]", "';'.join(str(x) for x in v)") == "80;90");
    CHECK(value("v = '%s-%d' % ('a', 1)", "v") == "a-1");
    CHECK(value("v = '{}:{tag}'.format('a', tag='b')", "v") == "a:b");
    CHECK(value("v = 'a.b'", "v.upper() if v.startswith('a') else 'x'") == "A.B");
    CHECK(value("v = '12.4.1'", "v[:4] + '.'.join(v.split('.')[:2])") == "12.412.4");
    CHECK(value("import os\nv = os.environ.get('CUDA', '12.4')", "v") == "12.4~");
    CHECK(value("v = compute()", "f'cu{v}'").find('?') != std::string::npos);
    CHECK(value("p.add_argument('--cuda-tag', default='cu121')\nargs = p.parse_args()", "args.cuda_tag") ==
          "cu121~");
    CHECK(value("v = 'a'\nfor x in ['b', 'c']:\n    v += x", "v") == "abc");
    CHECK(value("def f(x, y='z'):\n    return x + y\n", "f('a')").find("az") == 0);
    CHECK(value("v = None or 'a'", "v") == "a");
    CHECK(value("v = 'a'\nif unknown():\n    v = 'b'", "v") == "b~");
    CHECK(value("v = 'a'\nif v == 'b':\n    v = 'c'\nelif v in ('a', 'x'):\n    v = 'd'", "v") == "d");
}

TEST_CASE("functions: those that run, those that others run, sessions for each parameter") {
    CHECK(python(k_pip + "def main():\n    pip('a')\n\n\nif __name__ == '__main__':\n    main()\n") ==
          "5:51 pip: a@9:10\n");
    CHECK(python("@task\ndef image(c, tag='x'):\n    c.run(f'docker build -t a:{tag} .')\n")
              .find("[function image]\n") == 0);
    const std::string nox = python(
        "@nox.session\n@nox.parametrize('cuda', ['118', '121'])\ndef tests(session, cuda):\n"
        "    session.install('torch==2.2.0', '--index-url', f'https://x/cu{cuda}')\n");
    CHECK(nox.find("index https://x/cu118") != std::string::npos);
    CHECK(nox.find("index https://x/cu121") != std::string::npos);
    // A function of one's own: the arguments of pip in one text, then words for the user.
    CHECK(python("setup.install('--upgrade torch==2.2.0', 'torch 2.2.0', reinstall=True)\n") ==
          "1:16 pip: torch==2.2.0@1:26\n");
    // A function in itself is not followed.
    CHECK(python("def f(x):\n    os.system('nvcc ' + x)\n    f('b')\n\n\nf('a')\n") == "2:16 nvcc a\n");
}

TEST_CASE("a release that Python code computes and that was never built") {
    const auto codes = [](const std::string& cuda, const std::string& more = "") {
        return codes_in("install.py", k_pip + "CUDA = '" + cuda + "'\n" + more +
                                          "tag = 'cu' + CUDA.replace('.', '')\n"
                                          "pip(f'torch==2.4.0+{tag}', '--index-url', "
                                          "f'https://download.pytorch.org/whl/{tag}')\n");
    };
    CHECK(codes("12.3") == Codes{"error CC603"});
    CHECK(codes("12.4").empty());
    CHECK(codes("12.4", "if old():\n    CUDA = '12.3'\n") == Codes{"warning CC603"});
    CHECK(codes("12.3", "CUDA = detect()\n").empty());
    CHECK(codes_in("noxfile.py",
                   "@nox.session\ndef t(session):\n    session.install('torch==2.2.0+cu124', '-f', "
                   "'https://download.pytorch.org/whl/torch_stable.html')\n") == Codes{"error CC603"});
}

TEST_CASE("a build script that a Dockerfile runs compiles with the image's nvcc") {
    const auto codes = [](const std::string& archs) {
        return codes_in(
            "Dockerfile",
            "FROM nvidia/cuda:13.0.1-devel-ubuntu24.04\nCOPY . /src\nWORKDIR /src\n"
            "RUN python3 build.py\n",
            {{"build.py", "import subprocess\nARCHS = [" + archs +
                              "]\nsubprocess.run(['cmake', '-B', 'build', "
                              "'-DCMAKE_CUDA_ARCHITECTURES=' + ';'.join(ARCHS)], check=True)\n"}});
    };
    CHECK(codes("'60', '80'") == Codes{"error CC203"});
    CHECK(codes("'75', '80'").empty());
}

TEST_CASE("a release of CUDA that is known behind a branch that ends with an error") {
    const auto says = [](const std::string& release, const std::string& otherwise = "raise Exception()") {
        return codes_of(
            "setup.py",
            "import re, subprocess\nfrom packaging import version\n\n\ndef targets():\n    try:\n"
            "        out = subprocess.check_output(['nvcc', '--version']).decode()\n"
            "        match = re.search('V([0-9.]+)', out)\n        if match:\n"
            "            nvcc_version = match.group(1)\n        else:\n            " +
                otherwise +
                "\n    except:\n        raise Exception('nvcc not found')\n"
                "    newer = version.parse(nvcc_version) >= version.parse('" +
                release +
                "')\n    ret = ['75', '80']\n    if newer:\n        ret.extend(['120a', '121a'])\n"
                "    return ret\n\n\nflags = []\nfor target in targets():\n"
                "    flags += ['-gencode', f'arch=compute_{target},code=sm_{target}']\n");
    };
    CHECK(says("12.8") == "CC623");
    CHECK(says("12.8", "nvcc_version = '0'") == "CC623");
    CHECK(says("12.9") == k_silent);
    // Behind branches that all end nothing is followed.
    CHECK(python("if read():\n    raise A()\nelse:\n    raise B()\nsubprocess.run(['nvcc', 'a'])\n") == "");
    CHECK(value("if read():\n    a = 1\nelse:\n    raise B()", "'x.cu'") == "x.cu");
}
