#include "run/jitter.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pipewright::test {
namespace {

TEST(Jitter, a_place_always_gives_the_same_number) {
  EXPECT_EQ(normal(3, 7), normal(3, 7));
  EXPECT_NE(normal(3, 7), normal(3, 8));
  EXPECT_NE(normal(3, 7), normal(4, 7));
}

TEST(Jitter, numbers_are_normal) {
  constexpr uint64_t count = 100'000;
  double sum = 0, squares = 0;
  for (uint64_t place = 0; place < count; ++place) {
    const double number = normal(1, place);
    sum += number;
    squares += number * number;
  }
  EXPECT_NEAR(sum / count, 0, 0.02);
  EXPECT_NEAR(squares / count, 1, 0.02);
}

TEST(Jitter, the_median_op_takes_what_its_price_says) {
  const Jitter jitter{.seed = 5, .spread = 0.1};
  int longer = 0;
  for (OpId op = 0; op < 10'000; ++op) longer += jitter.factor(op) > 1;
  EXPECT_NEAR(longer, 5'000, 200);
  EXPECT_DOUBLE_EQ(std::log(jitter.factor(9)), 0.1 * normal(5, 9));
}

}  // namespace
}  // namespace pipewright::test
