#include "plan/layer_times.hpp"

#include <gtest/gtest.h>

#include "support/model_jobs.hpp"

namespace pipewright::test {
namespace {

std::vector<std::vector<Time>> times_with(const std::string& rest) {
  const ModelJob job(small_gpt("parallel: {tensor: 8, pipeline: 2}\nschedule: 1f1b\n" + rest));
  const ModelOnGrid& grid = job.grid;
  return layer_times(grid.layers(), grid.grid, grid.prices, StagePlacement(2), 2);
}

TEST(LayerTimes, one_list_where_devices_are_alike) {
  const std::vector<std::vector<Time>> times = times_with("");
  ASSERT_EQ(times.size(), 1u);
  EXPECT_EQ(times[0][2], times[0][3]);  // two blocks
}

TEST(LayerTimes, the_slowest_device_of_a_stage_counts) {
  const std::vector<std::vector<Time>> alike = times_with("");
  const std::vector<std::vector<Time>> times =
      times_with("stragglers: [{device: 9, slowdown: 2}]\n");
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[0], alike[0]);
  for (size_t layer = 0; layer < alike[0].size(); ++layer)
    EXPECT_EQ(times[1][layer], 2 * alike[0][layer]);
}

}  // namespace
}  // namespace pipewright::test
