#include "plan/slice_times.hpp"

#include <gtest/gtest.h>

#include "plan/segments_time.hpp"
#include "plan/stage_builder.hpp"
#include "support/model_jobs.hpp"

namespace pipewright::test {
namespace {

/// Holds the times of slices to those of the passes that they have.
void expect_times_of_slices(const std::string& more) {
  config::Value experiment = small_gpt(more + "schedule: 1f1b\n");
  config::set_path(experiment, "batch.micro=2");
  ModelJob job(experiment);
  const StagedModel model = job.cut(2);
  const int sequence = model.job.sequence();
  for (int stage = 0; stage < 2; ++stage) {
    const StageWork whole = StageBuilder(model).stage(stage);
    const Prices& prices = model.job.prices;
    const Mesh& mesh = model.mesh_of(stage);
    SliceTimes times(whole, prices, mesh, sequence);
    for (const auto& [length, context] : {std::pair{sequence, 0},
                                          {1, 0},
                                          {1, sequence - 1},
                                          {sequence / 3, sequence / 2},
                                          {sequence / 3, 7}}) {
      const StageWork slice = slice_of(whole, context, context + length, sequence);
      EXPECT_EQ(times(length, context), segments_time(slice.forward, prices, mesh) +
                                            segments_time(slice.backward, prices, mesh))
          << more << length << " after " << context;
    }
  }
}

TEST(SliceTimes, are_those_of_the_passes_of_a_slice) {
  expect_times_of_slices("parallel: {tensor: 8, pipeline: 2}\n");
  expect_times_of_slices("parallel: {tensor: 1, pipeline: 2}\n");
  expect_times_of_slices("parallel: {tensor: 4, pipeline: 2}\nrecompute: full\n");
}

TEST(SliceTimes, wait_for_the_collectives_of_their_own_chain) {
  expect_times_of_slices("parallel: {tensor: 8, pipeline: 2}\noverlap: {tensor: {domino: 2}}\n");
  expect_times_of_slices("parallel: {tensor: 8, pipeline: 2}\noverlap: {tensor: {chunked: 4}}\n");
}

}  // namespace
}  // namespace pipewright::test
