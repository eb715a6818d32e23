#include "base/huge_pages.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace pipewright {
namespace {

struct alignas(32) Line {
  uint64_t value = 0;
};

TEST(HugePages, a_large_array_starts_on_a_page_of_two_mebibytes) {
  const std::vector<Line, HugePages<Line>> lines(100'000);  // 3.2 MB
  EXPECT_EQ(reinterpret_cast<uintptr_t>(lines.data()) % (2 << 20), 0u);
  EXPECT_EQ(lines.back().value, 0u);
}

TEST(HugePages, a_small_array_is_only_aligned) {
  const std::vector<Line, HugePages<Line>> lines(3);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(lines.data()) % alignof(Line), 0u);
}

}  // namespace
}  // namespace pipewright
