#include "config/same_but_for.hpp"

#include <gtest/gtest.h>

namespace pipewright::config {
namespace {

bool same(const char* a, const char* b) {
  return same_but_for(parse(a, "a.yaml"), parse(b, "b.yaml"), "recompute");
}

TEST(SameButFor, looks_past_one_key) {
  EXPECT_TRUE(
      same("{schedule: 1f1b, recompute: none}", "{schedule: 1f1b, recompute: {layers: 4}}"));
  EXPECT_TRUE(same("{schedule: 1f1b, recompute: none}", "{schedule: 1f1b}"));
  EXPECT_FALSE(same("{schedule: 1f1b, recompute: none}", "{schedule: gpipe, recompute: none}"));
}

}  // namespace
}  // namespace pipewright::config
