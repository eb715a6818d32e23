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
  for (uint32_t place = 0; place < 10'000; ++place) longer += jitter.factor(0, place) > 1;
  EXPECT_NEAR(longer, 5'000, 200);
  EXPECT_DOUBLE_EQ(std::log(jitter.factor(0, 9)), 0.1 * normal(5, 9));
}

TEST(Jitter, a_device_has_numbers_of_its_own_or_those_of_another) {
  const Jitter own{.seed = 5, .spread = 0.1};
  const Jitter shared{.seed = 5, .spread = 0.1, .drawn_for = {0, 0, 2}};
  EXPECT_NE(own.factor(0, 7), own.factor(1, 7));
  EXPECT_EQ(shared.factor(1, 7), own.factor(0, 7));
  EXPECT_EQ(shared.factor(2, 7), own.factor(2, 7));
}

}  // namespace
}  // namespace pipewright::test
