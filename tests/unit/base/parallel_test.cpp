#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace pipewright {
namespace {

TEST(InParallel, does_each_piece_once_whatever_the_number_of_jobs) {
  for (const int jobs : {0, 1, 2, 7, 100}) {
    std::vector<std::atomic<int>> done(50);
    in_parallel(done.size(), jobs, [&](size_t i) { ++done[i]; });
    for (const std::atomic<int>& times : done) EXPECT_EQ(times, 1) << jobs;
  }
  in_parallel(0, 3, [](size_t) { FAIL() << "there is no piece"; });
}

TEST(InParallel, throws_the_failure_of_the_least_piece) {
  for (const int jobs : {1, 2, 5}) {
    for (int again = 0; again < 50; ++again) {
      std::string what;
      try {
        in_parallel(40, jobs, [](size_t i) {
          if (i % 10 == 3) throw std::runtime_error(std::to_string(i));
        });
      } catch (const std::runtime_error& error) {
        what = error.what();
      }
      EXPECT_EQ(what, "3") << jobs;
    }
  }
}

TEST(InParallel, begins_nothing_after_a_failure) {
  std::atomic<int> begun = 0;
  EXPECT_THROW(in_parallel(1000, 1,
                           [&](size_t i) {
                             ++begun;
                             if (i == 4) throw std::runtime_error("enough");
                           }),
               std::runtime_error);
  EXPECT_EQ(begun, 5);
}

}  // namespace
}  // namespace pipewright
