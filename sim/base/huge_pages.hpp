// An allocator for large arrays that are read in no order: asks the system for pages of 2 MiB, with
// which a random access rarely misses the processor's table of pages. Where there are none it is an
// ordinary allocator.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <new>

namespace pipewright {

template <class T>
struct HugePages {
  using value_type = T;

  HugePages() = default;
  template <class U>
  HugePages(const HugePages<U>&) {}

  T* allocate(size_t count) {
    const size_t bytes = count * sizeof(T);
    void* memory = ::operator new(bytes, alignment(bytes));
    if (bytes >= huge_page) madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t count) {
    ::operator delete(memory, alignment(count * sizeof(T)));
  }
  bool operator==(const HugePages&) const { return true; }

 private:
  static constexpr size_t huge_page = size_t{2} << 20;
  static std::align_val_t alignment(size_t bytes) {
    return std::align_val_t{bytes < huge_page ? alignof(T) : huge_page};
  }
};

}  // namespace pipewright
