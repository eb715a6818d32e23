#include "base/input.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "support/error_of.hpp"

namespace pipewright::test {
namespace {

TEST(Input, a_stream_is_read_to_its_end) {
  std::istringstream in(std::string(100'000, 'x'));
  EXPECT_EQ(read_all(in, "a stream", {}).size(), 100'000u);
}

TEST(Input, more_than_the_most_is_refused_where_it_was_named) {
  std::istringstream in(std::string(2048, 'x'));
  EXPECT_EQ(error_of([&] {
              read_all(in, "a stream", {"x.yaml", 2, 3}, 1024);
            }),
            "x.yaml:2:3: error: a stream is larger than 1 KiB, the most that is read");
}

}  // namespace
}  // namespace pipewright::test
