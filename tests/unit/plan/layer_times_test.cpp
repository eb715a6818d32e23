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

// Launches of a second hide what devices take: a layer's time is at least that of its launches.
TEST(LayerTimes, a_device_waits_for_its_host) {
  const ModelJob job(small_gpt("parallel: {tensor: 8, pipeline: 2}\nschedule: 1f1b\n"));
  const ModelOnGrid& grid = job.grid;
  Prices slow = grid.prices;
  slow.host = {.launch = seconds(1), .repeat = seconds(1)};
  const std::vector<Time> times =
      layer_times(grid.layers(), grid.grid, slow, StagePlacement(2), 2).front();
  for (size_t k = 0; k < times.size(); ++k) {
    const Layer& layer = grid.layers()[k];
    int64_t launches = 0;
    for (const Segments* pass :
         {&layer.forward, &layer.recompute, &layer.input_gradient, &layer.weight_gradient})
      for (const Segment& segment : *pass) launches += static_cast<int64_t>(segment.kernels.size());
    EXPECT_GT(launches, 0);
    EXPECT_GE(times[k], launches * seconds(1));
  }
}

}  // namespace
}  // namespace pipewright::test
