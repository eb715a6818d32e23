#include "run/do_both.hpp"

#include <gtest/gtest.h>
#include <tbb/task_group.h>

#include <atomic>
#include <stdexcept>

namespace pipewright::test {
namespace {

constexpr size_t large = 1'000'000;

// TBB leaves out what a cancelled context has not begun, and nobody is told.
TEST(DoBoth, no_half_is_left_out_where_the_work_around_is_cancelled) {
  std::atomic<int> first = 0, second = 0;
  tbb::task_group around;
  around.run_and_wait([&] {
    around.cancel();
    do_both(
        large, [&] { ++first; }, [&] { ++second; });
  });
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 1);
}

TEST(DoBoth, an_error_of_a_half_is_thrown) {
  const auto fail = [] { throw std::runtime_error("no"); };
  EXPECT_THROW(do_both(large, fail, [] {}), std::runtime_error);
  EXPECT_THROW(do_both(
                   large, [] {}, fail),
               std::runtime_error);
  EXPECT_THROW(do_both(1, fail, [] {}), std::runtime_error);
}

}  // namespace
}  // namespace pipewright::test
