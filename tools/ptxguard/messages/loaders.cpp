// Messages of the loaders of Linux and Windows, of Python's and .NET's import of libraries, and of linkers
// that miss one. Windows is translated into many languages; the numbers stay.
// SPDX-License-Identifier: Apache-2.0
#include "messages/message.hpp"
#include "model/ranges.hpp"

namespace ptxguard {
namespace {

// "library_absent" is refined by the library's name: cuDNN, CUDA, the driver or a library of somebody else.
std::vector<Message> of_linux() {
    return {
        {"{needed_by:path}: error while loading shared libraries: {library:file}: cannot open shared object "
         "file",
         {{"library_absent", certain}}},
        {"Could not load library {wrapper:file}. Error: {library:file}: cannot open shared object file",
         {{"library_absent", certain}}},
        {"Failed to load library {needed_by:path} with error: {library:file}: cannot open shared object file",
         {{"library_absent", certain}}},
        {"Failed to dlopen {library:file}", {{"library_absent", certain}}},
        {"{library:file}: cannot open shared object file", {{"library_absent", certain}}},
        // glibc in other languages
        {"{library:file}: 无法打开共享对象文件", {{"library_absent", certain}}},
        {"{library:file}: 無法開啟共享目的檔", {{"library_absent", certain}}},
        {"{library:file}: Kann die Shared-Object-Datei nicht öffnen", {{"library_absent", certain}}},
        {"{library:file}: Ne peut ouvrir le fichier d'objet partagé", {{"library_absent", certain}}},
        {"{library:file}: no se puede abrir el fichero del objeto compartido", {{"library_absent", certain}}},
        {"{library:file}: no se puede abrir el archivo de objeto compartido", {{"library_absent", certain}}},
        {"{library:file}: невозможно открыть разделяемый объектный файл", {{"library_absent", certain}}},
        {"{library:file}: não é possível abrir arquivo compartilhado", {{"library_absent", certain}}},
        {"Could not load dynamic library '{library:file}'; dlerror: {missing:file}: cannot open shared "
         "object file",
         {{"library_absent_for_tensorflow", likely}}},
        {"Could not load dynamic library '{library:file}'; dlerror: {missing:file} not found",
         {{"library_absent_for_tensorflow", likely}}},
        {"Could not load dynamic library '{library:file}'", {{"library_absent_for_tensorflow", likely}}},
        {"{library:library} => not found", {{"library_absent", likely}}},  // ldd
        {"{library:path}: file too short", {{"library_damaged", certain}}},
        {"{library:path}: invalid ELF header", {{"library_damaged", likely}}},
        {"{library:path}: wrong ELF class", {{"library_for_other_machine", likely}}},
        {"cannot allocate memory in static TLS block", {{"static_tls", certain}}},
        {"{library:path}: version `{symbol:word}' not found (required by {needed_by:path})",
         {{"symbol_version", certain}}},
        {"version `{symbol:word}' not found (required by", {{"symbol_version", certain}}},
        {"version `CXXABI_{number:version}' not found", {{"symbol_version_missing", certain}}},
        {"version `GLIBCXX_{number:version}' not found", {{"symbol_version_missing", certain}}},
        {"version `GLIBC_{number:version}' not found", {{"glibc_too_old", certain}}},
        {"{needed_by:path}: undefined symbol: {symbol:word}, version {library:file}",
         {{"symbol_of_library", certain}}},
        {"{needed_by:path}: undefined symbol: {symbol:word}", {{"symbol_absent", likely}}},
        {"undefined symbol: {symbol:word}, version {library:file}", {{"symbol_of_library", certain}}},
        {"undefined symbol: {symbol:word}", {{"symbol_absent", likely}}},
        {"symbol {symbol:word}, version {library:file} not defined in file",
         {{"symbol_of_library", certain}}},
        {"{library:file} not defined in file", Role::echo},
        {"{library:file} not defined", {{"library_not_defined", likely}}},
        {"{library:file}, needed by {needed_by:path}, not found (try using -rpath",
         {{"library_absent_at_link", certain}}},
        {"{library:file}: no version information available", Role::harmless},
        // LD_DEBUG=libs
        {"file={library:file} [{space:number}]; needed by {needed_by:path} [", Role::fact},
        {"trying file={tried:path}", Role::fact},
        {"search path={folders:path} (LD_LIBRARY_PATH)", {{"loader_trace", likely}}},
        {"Exec format error", {{"exec_format", likely}}},
        {"nvcc: Permission denied", {{"tool_does_not_run", certain}}},
        {"ptxas: Permission denied", {{"tool_does_not_run", certain}}},
        {"Please make sure {library:file} is in your library path!", {{"library_absent", possible}}},
        {"Could not load library {library:file}", {{"library_absent", possible}}},
    };
}

// The numbers of Windows' loader, in the words of those who print them: 126 a DLL is missing, 127 a function,
// 182 and 1114 a DLL does not start, 193 it is for another processor, 1455 memory. PyTorch adds "or one of
// its dependencies" to all of them.
std::vector<Message> of_numbers() {
    return {
        {"[WinError 126]*Error loading '{needed_by}' or one of its dependencies",
         {{"dll_missing", certain}, {"dll_folder_not_searched", possible}}},
        {"[WinError 127]*Error loading '{library}' or one of its dependencies", {{"dll_shadowed", likely}}},
        {"[WinError 182]*Error loading '{needed_by}' or one of its dependencies",
         {{"dll_not_started", likely}}},
        {"[WinError 193]*Error loading '{library}' or one of its dependencies",
         {{"dll_wrong_machine", certain}}},
        {"[WinError 1114]*Error loading '{needed_by}' or one of its dependencies",
         {{"dll_not_started", likely}}},
        {"[WinError 1455]*Error loading '{needed_by}' or one of its dependencies",
         {{"host_memory", certain}}},
        {"Error loading '{needed_by}' or one of its dependencies", {{"dll_missing", likely}}},
        {"WinError 126{:]|:|)| }", {{"dll_missing", likely}, {"dll_folder_not_searched", possible}}},
        {"WinError 127{:]|:|)| }", {{"dll_shadowed", likely}}},
        {"WinError 182{:]|:|)| }", {{"dll_not_started", likely}}},
        {"WinError 193{:]|:|)| }", {{"dll_wrong_machine", likely}}},
        {"WinError 1114{:]|:|)| }", {{"dll_not_started", likely}}},
        {"WinError 1455{:]|:|)| }", {{"host_memory", certain}}},
        // ONNX Runtime
        {"LoadLibrary failed with error 126 '{words}' when trying to load '{needed_by}'",
         {{"dll_missing", certain}, {"dll_of_other_cuda", possible}},
         "windows"},
        {"LoadLibrary failed with error 126", {{"dll_missing", certain}}, "windows"},
        {"LoadLibrary failed with error 127", {{"dll_shadowed", likely}}, "windows"},
        {"LoadLibrary failed with error 182", {{"dll_not_started", likely}}, "windows"},
        {"LoadLibrary failed with error 193", {{"dll_wrong_machine", certain}}, "windows"},
        {"LoadLibrary failed with error 1114", {{"dll_shadowed", likely}}, "windows"},
        // Programs in C++
        {"Missing import: {library:file}", {{"library_absent", certain}}},  // Unreal Engine
        {"'{needed_by:path}' (GetLastError=126)", {{"dll_missing", likely}}},
        {"(GetLastError=193)", {{"dll_wrong_machine", likely}}},
        {"Failed to load {needed_by:file}, error code: 126", {{"dll_missing", certain}}},
        {"Failed to load {library:file}, error code: 127", {{"dll_shadowed", likely}}},
        {"Failed to load {library:file}, error code: 193", {{"dll_wrong_machine", certain}}},
        {"Failed to load {needed_by:file}, error code: 1114", {{"dll_not_started", likely}}},
        {"Could not load library {library:file}. Error code 127", {{"dll_shadowed", likely}}},
        {"{library:file}. Error code 193", {{"dll_wrong_machine", certain}}},
        // cuDNN's main library writes this, so it is there itself.
        {"{library:file}. Error code 126", {{"library_absent_or_its_own", certain}}},
        // Rust
        {"(os error 126)", {{"dll_missing", likely}}},
        {"(os error 127)", {{"dll_shadowed", possible}}},
        {"(os error 193)", {{"dll_wrong_machine", likely}}},
        {"(os error 1114)", {{"dll_not_started", likely}}},
        {"Os {{ code: 126, kind", {{"dll_missing", likely}}},
        {"Os {{ code: 193, kind", {{"dll_wrong_machine", likely}}},
        {"Os {{ code: 1114, kind", {{"dll_not_started", likely}}},
        // .NET
        {"0x8007007E)", {{"dll_missing", likely}}},
        {"0x8007007F)", {{"dll_shadowed", likely}}},
        {"0x800700B6)", {{"dll_not_started", likely}}},
        {"0x800700C1)", {{"dll_wrong_machine", likely}}},
        {"0x8007045A)", {{"dll_shadowed", possible}}},
    };
}

// Python's imports name no number, only the text of the system's language.
struct ImportFault {
    const char* cause;
    Confidence confidence;
    std::vector<const char*> texts;
};

const std::vector<ImportFault>& import_faults() {
    static const std::vector<ImportFault> all{
        {"dll_lacks_function",
         likely,
         {"DLL load failed while importing {module:word}: The specified procedure could not be found",
          "DLL load failed while importing {module:word}: 找不到指定的程序",
          "DLL load failed while importing {module:word}: 指定されたプロシージャが見つかりません",
          "DLL load failed while importing {module:word}: 지정된 프로시저를 찾을 수 없습니다",
          "DLL load failed while importing {module:word}: Die angegebene Prozedur wurde nicht gefunden",
          "DLL load failed while importing {module:word}: La procédure spécifiée est introuvable",
          "DLL load failed while importing {module:word}: No se encontró el proceso especificado",
          "DLL load failed while importing {module:word}: Impossibile trovare la procedura specificata",
          "DLL load failed while importing {module:word}: Não foi possível encontrar o procedimento "
          "especificado",
          "DLL load failed while importing {module:word}: Не найдена указанная процедура"}},
        {"dll_not_started",
         likely,
         {"DLL load failed while importing {module:word}: A dynamic link library (DLL) initialization "
          "routine failed",
          "DLL load failed while importing {module:word}: 动态链接库(DLL)初始化例程失败",
          "DLL load failed while importing {module:word}: ダイナミック リンク ライブラリ (DLL) "
          "初期化ルーチン",
          "DLL load failed while importing {module:word}: DLL(동적 연결 라이브러리) 초기화 루틴",
          "DLL load failed while importing {module:word}: Eine DLL-Initialisierungsroutine ist "
          "fehlgeschlagen",
          "DLL load failed while importing {module:word}: Une routine d'initialisation d'une bibliothèque",
          "DLL load failed while importing {module:word}: Error en una rutina de inicialización de "
          "biblioteca",
          "DLL load failed while importing {module:word}: Произошел сбой в программе инициализации",
          "DLL load failed while importing {module:word}: The operating system cannot run %1"}},
        {"module_for_other_machine", certain, {"DLL load failed while importing {module:word}: %1 "}},
        {"host_memory",
         certain,
         {"DLL load failed while importing {module:word}: The paging file is too small"}},
        {"dll_of_module", likely, {"DLL load failed while importing {module:word}:"}},
        // Python 3.7 and before
        {"dll_wrong_machine", certain, {"DLL load failed: %1 "}},
        {"dll_shadowed",
         likely,
         {"DLL load failed: The specified procedure", "DLL load failed: 找不到指定的程序"}},
        {"dll_not_started",
         likely,
         {"DLL load failed: A dynamic link library (DLL) initialization",
          "DLL load failed: 动态链接库(DLL)初始化"}},
        {"dll_not_started", likely, {"A dynamic link library (DLL) initialization routine failed"}},
        {"cpu_instruction", likely, {"DLL load failed with error code -1073741795"}},
        {"host_memory", certain, {"The paging file is too small for this operation to complete"}},
    };
    return all;
}

std::vector<Message> of_windows() {
    std::vector<Message> all{
        {"DLL load failed while importing",
         {{"dll_missing", possible}, {"dll_folder_not_searched", possible}}},
        {"DLL load failed: ", {{"dll_missing", likely}, {"dll_folder_not_searched", likely}}},
        {"Could not locate {library:file}. Please make sure it is in your library path",
         {{"library_absent", certain}}},
        {"Error loading '{needed_by}' which depends on '{library:file}' which is missing",
         {{"library_absent", certain}}},
        {"which depends on '{library:file}' which is missing", {{"library_absent", certain}}},
        {"Could not find module '{needed_by}' (or one of its dependencies)",
         {{"module_or_dependency", likely}}},
        {"Library {library:file} is not found or cannot be loaded", {{"library_absent", certain}}},
        {"Could not find {library:file} in PATH", {{"library_absent", certain}}},
        {"The code execution cannot proceed because {library:file} was not found",
         {{"library_absent", certain}}},
        {"The program can't start because {library:file} is missing", {{"library_absent", certain}}},
        {"{stem:name}.dll' was not found", {{"library_absent", likely}}},
        {"{stem:name}.dll' not found", {{"library_absent", likely}}},
        {"The procedure entry point {symbol:word} could not be located in the dynamic link library "
         "{library:path}",
         {{"entry_absent", certain}}},
        {"ELF load command past end of file", {{"file_damaged", likely}}},
        {"ELF load command alignment not page-aligned", {{"file_damaged", likely}}},
        {"exit code -1073741515", {{"dll_missing", certain}}},
        {"exit code 0xc0000135", {{"dll_missing", certain}}},
        {"exit code -1073741511", {{"dll_shadowed", likely}}},
        {"(0xc000007b)", {{"dll_wrong_machine", likely}}},
        {"STATUS_DLL_NOT_FOUND", {{"dll_missing", certain}}},
        {"STATUS_ENTRYPOINT_NOT_FOUND", {{"dll_shadowed", likely}}},
        {"Unable to load DLL '{needed_by:path}'", {{"dll_missing", certain}}},
        {"Unable to load shared library '{library:file}' or one of its dependencies",
         {{"library_unfit", likely}}},
        {"The native library cannot be {done:word} loaded. It could be one of the following reasons",
         {{"dll_missing", possible}, {"library_missing", possible}}},
        {"The native library cannot be found. It could be one of the following reasons",
         {{"dll_missing", possible}, {"library_missing", possible}}},
        // What .NET says of a class whose [DllImport] fails; the exception inside names the DLL.
        {"The type initializer for 'Microsoft.ML.OnnxRuntime.NativeMethods' threw an exception",
         {{"dll_missing", likely}}},
        {"The type initializer for 'LLama.Native.NativeApi' threw an exception", {{"dll_missing", likely}}},
        {"The type initializer for 'TorchSharp.torch' threw an exception", {{"dll_missing", likely}}},
        {"System.DllNotFoundException", {{"dll_missing", likely}}},
        {"System.BadImageFormatException", {{"dll_wrong_machine", likely}}},
        {"System.EntryPointNotFoundException: Unable to find an entry point named '{symbol:word}' in DLL "
         "'{library:file}'",
         {{"entry_absent", certain}}},
        {"Unable to find an entry point named '{symbol:word}' in {:DLL|shared library} '{library:file}",
         {{"entry_absent", certain}}},
        {"DLL'{library:word}'中找到名为'{symbol:word}'的入口点", {{"entry_absent", certain}}},
        {"DLL '{library:word}' の '{symbol:word}' というエントリ ポイント", {{"entry_absent", certain}}},
        {"Der Einstiegspunkt '{symbol:word}' wurde nicht in der DLL '{library:file}'",
         {{"entry_absent", certain}}},
        {"Impossible de trouver un point d'entrée nommé '{symbol:word}' dans la DLL '{library:file}'",
         {{"entry_absent", certain}}},
        {"java.lang.UnsatisfiedLinkError: {needed_by:path}: Can't find dependent libraries",
         {{"dll_missing", certain}}},
        {"java.lang.UnsatisfiedLinkError", {{"library_unfit", possible}}},
        {"is either not designed to run on Windows or it contains an error",
         {{"dll_wrong_machine", possible}}},
    };
    for (const ImportFault& one : import_faults())
        for (const char* text : one.texts) all.push_back({text, {{one.cause, one.confidence}}});
    return all;
}

}  // namespace

std::vector<Message> messages_of_loaders() {
    std::vector<Message> all = of_linux();
    for (const auto& some : {of_numbers(), of_windows()}) append(all, some);
    return all;
}

}  // namespace ptxguard
