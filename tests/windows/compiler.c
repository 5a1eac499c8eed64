// SPDX-License-Identifier: Apache-2.0
/* COMPILER as a Windows program under wine: calls the compiler of the system beneath, with the paths that it knows. wine gives no
   handle to wait for such a program, so its exit code comes in a file. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

typedef char *(CDECL *UnixName)(const WCHAR *);

/* "-IC:/x" -> "-I/.../drive_c/x", in quotes for a shell */
static void add_word(char *line, const char *word) {
    UnixName unix_name = (UnixName)(void *)GetProcAddress(GetModuleHandleA("kernel32.dll"), "wine_get_unix_file_name");
    const char *drive = word;
    while (*drive && !(isalpha((unsigned char)*drive) && drive[1] == ':' && (drive[2] == '/' || drive[2] == '\\'))) ++drive;
    strcat(line, " '");
    strncat(line, word, (size_t)(drive - word));
    if (*drive && unix_name) {
        WCHAR wide[4096];
        char *path;
        MultiByteToWideChar(CP_UTF8, 0, drive, -1, wide, 4096);
        path = unix_name(wide);
        if (path) strcat(line, path);
    }
    strcat(line, "'");
}

int main(int count, char **words) {
    static char line[32768];
    char status[64], script[64];
    STARTUPINFOA start = {sizeof start};
    PROCESS_INFORMATION info;
    int i, code = 3;
    FILE *file;
    sprintf(status, "Z:\\tmp\\compiled.%lu", GetCurrentProcessId());
    sprintf(script, "Z:\\tmp\\compile.%lu", GetCurrentProcessId());
    remove(status);
    strcpy(line, COMPILER);
    for (i = 1; i < count; ++i) add_word(line, words[i]);
    if (!(file = fopen(script, "wb"))) return 3;
    fprintf(file, "%s\necho $? >/tmp/compiled.new.%lu\nmv /tmp/compiled.new.%lu /tmp/compiled.%lu\n", line, GetCurrentProcessId(),
            GetCurrentProcessId(), GetCurrentProcessId());
    fclose(file);
    start.dwFlags = STARTF_USESTDHANDLES;
    start.hStdInput = GetStdHandle(STD_INPUT_HANDLE);
    start.hStdOutput = GetStdHandle(STD_OUTPUT_HANDLE);
    start.hStdError = GetStdHandle(STD_ERROR_HANDLE);
    sprintf(line, "/bin/sh /tmp/compile.%lu", GetCurrentProcessId());
    if (!CreateProcessA("\\\\?\\unix\\bin\\sh", line, NULL, NULL, TRUE, 0, NULL, NULL, &start, &info)) return 4;
    for (i = 0; i < 6000; ++i) {
        if ((file = fopen(status, "rb"))) {
            if (fscanf(file, "%d", &code) != 1) code = 3;
            fclose(file);
            break;
        }
        Sleep(20);
    }
    remove(status);
    remove(script);
    return code;
}
