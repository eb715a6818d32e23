#include "base/stop.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "base/parallel.hpp"

namespace pipewright {
namespace {

TEST(Stop, ends_the_work_of_its_thread_while_the_scope_lives) {
  std::atomic<bool> stop = false;
  {
    const StopScope scope(&stop);
    EXPECT_NO_THROW(stop_here());
    stop = true;
    EXPECT_THROW(stop_here(), Stopped);
    std::thread([] { EXPECT_NO_THROW(stop_here()); }).join();
  }
  EXPECT_NO_THROW(stop_here());
}

TEST(Stop, a_scope_without_a_stop_keeps_the_one_around_it) {
  const std::atomic<bool> stop = true;
  const StopScope outer(&stop);
  const StopScope inner(nullptr);
  EXPECT_THROW(stop_here(), Stopped);
}

TEST(Stop, work_of_small_steps_ends_within_twenty_thousand_of_them) {
  const std::atomic<bool> stop = true;
  const StopScope scope(&stop);
  for (const size_t begin : {size_t{0}, size_t{1}, size_t{123'456}, size_t{1} << 33}) {
    const auto work = [&] {
      for (size_t step = begin; step < begin + 20'000; ++step) stop_sometimes(step);
    };
    EXPECT_THROW(work(), Stopped) << begin;
  }
}

TEST(Stop, the_threads_of_parallel_work_end_too) {
  const std::atomic<bool> stop = true;
  const StopScope scope(&stop);
  std::atomic<int> stopped = 0;
  const auto piece = [&](size_t) {
    try {
      stop_here();
    } catch (const Stopped&) {
      ++stopped;
    }
  };
  in_parallel(100, 4, piece);
  EXPECT_EQ(stopped, 100);
}

}  // namespace
}  // namespace pipewright
