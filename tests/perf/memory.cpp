#include "memory.hpp"

#include <malloc.h>

#include <cstdlib>
#include <new>

namespace {
size_t live = 0, peak = 0;
}

static void* counted(void* p) {
  if (!p) throw std::bad_alloc();
  live += malloc_usable_size(p);
  if (live > peak) peak = live;
  return p;
}

void* operator new(size_t size) { return counted(std::malloc(size)); }
void* operator new(size_t size, std::align_val_t alignment) {
  const auto a = static_cast<size_t>(alignment);
  return counted(std::aligned_alloc(a, (size + a - 1) / a * a));
}
void operator delete(void* p) noexcept {
  live -= malloc_usable_size(p);
  std::free(p);
}
void operator delete(void* p, size_t) noexcept { operator delete(p); }
void operator delete(void* p, std::align_val_t) noexcept { operator delete(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { operator delete(p); }

namespace pipewright::test {

size_t live_bytes() { return live; }
size_t peak_bytes() { return peak; }
void reset_peak() { peak = live; }

}  // namespace pipewright::test
