#include "base/progress.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace pipewright {
namespace {

TEST(Progress, a_scope_hears_its_own_thread_alone) {
  Progress progress;
  begin_step("nobody waits");
  {
    const ProgressScope scope(&progress);
    begin_step("simulating", 10);
    std::thread([] { begin_step("another", 3); }).join();
    EXPECT_STREQ(progress.step, "simulating");
    EXPECT_EQ(progress.total, 10u);
    EXPECT_EQ(progress.done, 0u);
  }
  begin_step("after it");
  EXPECT_STREQ(progress.step, "simulating");
  EXPECT_EQ(progress.number, 1);
  EXPECT_EQ(progress_of_thread(), nullptr);
}

TEST(Progress, other_threads_end_parts_of_a_step) {
  Progress progress;
  progress.begin("plans simulated");
  std::thread([&] { end_part(&progress); }).join();
  end_part(&progress);
  end_part(nullptr);
  EXPECT_EQ(progress.done, 2u);
  progress.begin("another");
  EXPECT_EQ(progress.done, 0u);
}

}  // namespace
}  // namespace pipewright
