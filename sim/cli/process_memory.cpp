#include "cli/process_memory.hpp"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>

namespace pipewright::cli {
namespace {

/// The addresses that are taken at first. What nobody writes to costs nothing.
constexpr int reserved = 1 << 30;
constexpr uintptr_t large_page = uintptr_t{2} << 20;

bool is_limited(decltype(RLIMIT_AS) resource) {
  rlimit limit{};
  return getrlimit(resource, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

/// Kept, the pages of what is freed need not be asked for and cleared again.
void keep_freed_memory() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

uintptr_t end_of_heap() { return reinterpret_cast<uintptr_t>(sbrk(0)); }

/// Lets the heap grow by `bytes` that nobody writes to, though malloc may fill what it gives
/// (MALLOC_PERTURB_). Returns where they begin; nothing where allocations are no part of the heap,
/// as under a sanitizer.
std::optional<uintptr_t> grown_by(int bytes) {
  constexpr int usual = 128 << 10;  // malloc's own
  constexpr size_t probe = size_t{1} << 20;
  const uintptr_t before = end_of_heap();
  mallopt(M_TOP_PAD, bytes);
  void* const begin = std::malloc(probe);
  mallopt(M_TOP_PAD, usual);
  const auto at = reinterpret_cast<uintptr_t>(begin);
  std::free(begin);
  const uintptr_t after = end_of_heap();
  return after > before && at < after ? std::optional(before) : std::nullopt;
}

/// Asks for pages of 2 MiB: the system gives and clears one at once in place of 512, and the
/// processor finds them quicker. Where addresses are scarce, or there are no such pages, nothing
/// changes.
void reserve_large_pages() {
  if (is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA)) return;
  const std::optional<uintptr_t> before = grown_by(reserved);
  if (!before) return;
  const uintptr_t first = (*before + large_page - 1) / large_page * large_page;
  madvise(reinterpret_cast<void*>(first), end_of_heap() - first, MADV_HUGEPAGE);
}

}  // namespace

void prepare_memory() {
  keep_freed_memory();
  reserve_large_pages();
}

}  // namespace pipewright::cli
