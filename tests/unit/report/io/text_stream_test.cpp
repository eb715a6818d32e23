#include "report/io/text_stream.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

namespace pipewright {
namespace {

TEST(TextStream, writes_text_and_numbers_in_order) {
  std::ostringstream out;
  TextStream text(out);
  text << "a" << 1 << "b" << -2 << std::numeric_limits<int64_t>::min();
  text.flush();
  EXPECT_EQ(out.str(), "a1b-2-9223372036854775808");
}

// Whatever does not fit into the buffer, be it once or many times its size.
TEST(TextStream, loses_nothing_at_the_end_of_its_buffer) {
  for (const size_t length : {65530u, 65536u, 65537u, 1'000'000u}) {
    std::ostringstream out;
    TextStream text(out);
    const std::string large(length, 'x');
    text << "<" << large << 1234567890 << ">";
    text.flush();
    EXPECT_EQ(out.str(), "<" + large + "1234567890>");
  }
}

TEST(TextStream, of_many_numbers_none_is_cut) {
  std::ostringstream out;
  TextStream text(out);
  std::string expected;
  for (int n = 0; n < 50'000; ++n) {
    text << n << " ";
    expected += std::to_string(n) + " ";
  }
  text.flush();
  EXPECT_EQ(out.str(), expected);
}

}  // namespace
}  // namespace pipewright
