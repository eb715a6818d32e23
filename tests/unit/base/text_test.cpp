#include "base/text.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(Text, days_are_read_at_a_glance) {
  EXPECT_EQ(human_days(86'400), "1");
  EXPECT_EQ(human_days(12.34 * 86'400), "12.3");
  EXPECT_EQ(human_days(1240.4 * 86'400), "1240");
}

TEST(Text, the_nearest_word_is_suggested) {
  const std::string_view words[] = {"schedule", "model", "cluster"};
  EXPECT_EQ(did_you_mean("shedule", words), "; did you mean 'schedule'?");
  EXPECT_EQ(did_you_mean("zzzzzzzz", words), "");
  // A part of a name is no mistake of another.
  const std::vector<std::string_view> nodes = {"h800", "dgx-h100"};
  EXPECT_EQ(did_you_mean("h100", nodes), "; did you mean 'dgx-h100'?");
  const std::vector<std::string_view> devices = {"h100-pcie", "h100-sxm", "h20"};
  EXPECT_EQ(did_you_mean("h100", devices), "; did you mean 'h100-pcie' or 'h100-sxm'?");
  const std::vector<std::string_view> arguments = {"load-objects-per-rank-in-parallel"};
  EXPECT_EQ(did_you_mean("rank", arguments), "");
  // Of those as near, one that begins alike.
  const std::vector<std::string_view> units = {"K", "B", "T"};
  EXPECT_EQ(did_you_mean("TB", units), "; did you mean 'T'?");
  // Of these, one of which a letter was left out.
  const std::vector<std::string_view> keys = {"node", "nodes"};
  EXPECT_EQ(did_you_mean("nods", keys), "; did you mean 'nodes'?");
  EXPECT_EQ(did_you_mean("nade", keys), "; did you mean 'node'?");
}

TEST(Text, capitals_are_no_mistake_of_another_word) {
  const std::vector<std::string_view> optimizers = {"adam", "adamw"};
  EXPECT_EQ(did_you_mean("AdamW", optimizers), "; did you mean 'adamw'?");
  const std::vector<std::string_view> nodes = {"h800", "dgx-h100"};
  EXPECT_EQ(did_you_mean("DGX-H100", nodes), "; did you mean 'dgx-h100'?");
  const std::vector<std::string_view> units = {"GB/s", "Gb/s", "MB/s"};
  EXPECT_EQ(did_you_mean("gb/s", units), "; did you mean 'GB/s' or 'Gb/s'?");
}

TEST(Text, times_and_bytes_pick_their_unit) {
  EXPECT_EQ(human_time(0.0123), "12.3 ms");
  EXPECT_EQ(human_time(90000), "1.042 d");
  EXPECT_EQ(human_time(12'960), "3.6 h");
  EXPECT_EQ(human_bytes(512), "512 B");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
}

TEST(Text, what_is_echoed_cannot_steer_a_terminal) {
  EXPECT_EQ(printable("a\x1b[2Jb\n\x7f"), "a\\x1b[2Jb\\x0a\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");  // one byte long it would be an escape
  EXPECT_EQ(printable("\xff\xed\xa0\x80"), "\\xff\\xed\\xa0\\x80");
  EXPECT_EQ(printable("GPU » Überlänge \xf0\x9f\x98\x80"), "GPU » Überlänge \xf0\x9f\x98\x80");
}

TEST(Text, what_is_echoed_is_cut) {
  const std::string shown = printable("begin " + std::string(400'000, '\x1b') + " end");
  EXPECT_LE(shown.size(), 2000u);
  EXPECT_TRUE(shown.starts_with("begin \\x1b"));
  EXPECT_TRUE(shown.ends_with("\\x1b end"));
  EXPECT_EQ(printable(shown), shown);
  EXPECT_EQ(printable(std::string(2000, 'x')), std::string(2000, 'x'));
}

}  // namespace
}  // namespace pipewright
