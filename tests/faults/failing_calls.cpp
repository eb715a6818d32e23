// A library that is loaded before all others. One call of a kind fails once, as on a machine that
// has run out of what the call asks for.
//   FAULT_KIND   allocate (C++'s operator new), open (of a file) or write (to a file)
//   FAULT_AT     the number of the call that fails, from 1 on; 0: none
//   FAULT_COUNT  a file that receives the number of calls
// Calls count from the beginning of main().
#undef _FILE_OFFSET_BITS  // with it, open is another name of open64
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

std::atomic<bool> counting{false};
std::atomic<long> calls{0};
long fails_at = 0;
const char* kind = "";

/// Whether this call of `what` is the one that fails.
bool fails(const char* what) {
  if (!counting.load(std::memory_order_relaxed) || std::strcmp(what, kind) != 0) return false;
  return ++calls == fails_at;
}

/// Returns the function of this name that the program would have called.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

void write_count() {
  counting = false;
  const char* file = std::getenv("FAULT_COUNT");
  if (!file) return;
  if (std::FILE* out = next<std::FILE*(const char*, const char*)>("fopen")(file, "w")) {
    std::fprintf(out, "%ld\n", calls.load());
    std::fclose(out);
  }
}

using Main = int(int, char**, char**);
Main* real_main = nullptr;

int counted_main(int count, char** words, char** environment) {
  const char* at = std::getenv("FAULT_AT");
  const char* what = std::getenv("FAULT_KIND");
  fails_at = at ? std::atol(at) : 0;
  kind = what ? what : "";
  std::atexit(write_count);
  counting = true;
  return real_main(count, words, environment);
}

void* allocate(std::size_t size, std::size_t alignment) {
  if (fails("allocate")) return nullptr;
  if (alignment <= alignof(std::max_align_t)) return std::malloc(size ? size : 1);
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  if (void* memory = allocate(size, alignment)) return memory;
  throw std::bad_alloc();
}

/// Whether a write fails. What tells of it on standard error comes through.
bool disk_is_full(int file) {
  if (file == STDERR_FILENO || !fails("write")) return false;
  errno = ENOSPC;
  return true;
}

bool too_many_files() {
  if (!fails("open")) return false;
  errno = EMFILE;
  return true;
}

template <class Open>
int open_file(Open* open, const char* path, int flags, va_list rest) {
  if (too_many_files()) return -1;
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE
             ? open(path, flags, va_arg(rest, mode_t))
             : open(path, flags);
}

}  // namespace

void* operator new(std::size_t size) { return allocate_or_throw(size, 1); }
void* operator new[](std::size_t size) { return allocate_or_throw(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return allocate(size, 1); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

extern "C" {

using Start = int(Main*, int, char**, void (*)(), void (*)(), void (*)(), void*);

int __libc_start_main(Main* main, int count, char** words, void (*init)(), void (*fini)(),
                      void (*rtld_fini)(), void* stack_end) {
  real_main = main;
  return next<Start>("__libc_start_main")(counted_main, count, words, init, fini, rtld_fini,
                                          stack_end);
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int file = open_file(next<int(const char*, int, ...)>("open"), path, flags, rest);
  va_end(rest);
  return file;
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const int file = open_file(next<int(const char*, int, ...)>("open64"), path, flags, rest);
  va_end(rest);
  return file;
}

std::FILE* fopen(const char* path, const char* mode) {
  return too_many_files() ? nullptr
                          : next<std::FILE*(const char*, const char*)>("fopen")(path, mode);
}

std::FILE* fopen64(const char* path, const char* mode) {
  return too_many_files() ? nullptr
                          : next<std::FILE*(const char*, const char*)>("fopen64")(path, mode);
}

ssize_t write(int file, const void* bytes, size_t size) {
  return disk_is_full(file) ? -1
                            : next<ssize_t(int, const void*, size_t)>("write")(file, bytes, size);
}

ssize_t writev(int file, const iovec* parts, int count) {
  return disk_is_full(file) ? -1
                            : next<ssize_t(int, const iovec*, int)>("writev")(file, parts, count);
}

ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t offset) {
  return disk_is_full(file) ? -1
                            : next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64")(
                                  file, bytes, size, offset);
}

size_t fwrite(const void* bytes, size_t size, size_t count, std::FILE* file) {
  return disk_is_full(fileno(file)) ? 0
                                    : next<size_t(const void*, size_t, size_t, std::FILE*)>(
                                          "fwrite")(bytes, size, count, file);
}

int ftruncate64(int file, off64_t size) {
  return disk_is_full(file) ? -1 : next<int(int, off64_t)>("ftruncate64")(file, size);
}

int fsync(int file) { return disk_is_full(file) ? -1 : next<int(int)>("fsync")(file); }

}  // extern "C"
