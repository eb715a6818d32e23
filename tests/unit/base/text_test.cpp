#include "base/text.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(Text, the_nearest_word_is_suggested) {
  const std::string_view words[] = {"schedule", "model", "cluster"};
  EXPECT_EQ(did_you_mean("shedule", words), "; did you mean 'schedule'?");
  EXPECT_EQ(did_you_mean("zzzzzzzz", words), "");
}

TEST(Text, times_and_bytes_pick_their_unit) {
  EXPECT_EQ(human_time(0.0123), "12.3 ms");
  EXPECT_EQ(human_time(90000), "1.042 d");
  EXPECT_EQ(human_bytes(512), "512 B");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
}

}  // namespace
}  // namespace pipewright
