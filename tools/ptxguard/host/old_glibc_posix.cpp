// Functions that libstdc++ and libgcc use from a newer glibc than the one that the wheel's program is linked
// with (PTXGUARD_OLD_GLIBC), so that it starts on glibc 2.17. Not part of other builds.
// SPDX-License-Identifier: Apache-2.0
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

namespace {

struct Destructor {
    void (*call)(void*);
    void* object;
    Destructor* next;
};

pthread_key_t key;
pthread_once_t once = PTHREAD_ONCE_INIT;

void run(void* first) {
    for (auto* at = static_cast<Destructor*>(first); at;) {
        pthread_setspecific(key, at->next);
        at->call(at->object);
        std::free(at);
        at = static_cast<Destructor*>(pthread_getspecific(key));
    }
}

void make_key() {
    pthread_key_create(&key, run);
    std::atexit([] { run(pthread_getspecific(key)); });  // the main thread
}

}  // namespace

extern "C" {

char __libc_single_threaded = 0;  // 0: always count references atomically

// "Not found": libgcc then calls dl_iterate_phdr, as it did before glibc 2.35.
int _dl_find_object(void*, void*) { return -1; }

int getentropy(void* to, std::size_t size) {
    auto* at = static_cast<char*>(to);
    while (size > 0) {
        const long got = ::syscall(SYS_getrandom, at, size, 0);
        if (got < 0 && errno != EINTR) return -1;
        if (got > 0) at += got, size -= static_cast<std::size_t>(got);
    }
    return 0;
}

std::uint32_t arc4random() {
    std::uint32_t value = 0;
    if (getentropy(&value, sizeof value) != 0) std::abort();
    return value;
}

int __cxa_thread_atexit_impl(void (*call)(void*), void* object, void*) {
    pthread_once(&once, make_key);
    auto* added = static_cast<Destructor*>(std::malloc(sizeof(Destructor)));
    if (!added) return -1;
    *added = {call, object, static_cast<Destructor*>(pthread_getspecific(key))};
    return pthread_setspecific(key, added);
}

}  // extern "C"
