#include "diagnose/grid_place.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/torch_work.hpp"

namespace pipewright::test {
namespace {

diagnose::GridPlace place_of(const TorchTrace& trace, int rank, int world) {
  const RankProfile profile = profile_of(trace, rank, world);
  return diagnose::place_of(profile, diagnose::device_work(profile));
}

// Of eight ranks, tensor 2, data 2 and pipeline 2: rank 6 is in {6, 7}, {4, 6} and {2, 6}.
TEST(GridPlace, a_rank_stands_at_its_places_in_its_groups) {
  TorchTrace trace;
  trace.kernel("f", 0, 10, 0);
  trace.collective("allreduce", "TENSOR_MODEL_PARALLEL_GROUP", "[6, 7]", 2, 10, 5, 1);
  trace.collective("send", "PIPELINE_MODEL_PARALLEL_GROUP", "[2, 6]", 2, 20, 5, 2);
  trace.collective("allreduce", "DATA_PARALLEL_GROUP", "[4, 6]", 2, 30, 5, 3);
  const diagnose::GridPlace place = place_of(trace, 6, 8);
  EXPECT_EQ(place.tensor, 0);
  EXPECT_EQ(place.stage, 1);
  EXPECT_EQ(place.data, 1);
}

TEST(GridPlace, a_rank_of_no_group_stands_first) {
  TorchTrace trace;
  trace.kernel("f", 0, 10, 0);
  const diagnose::GridPlace place = place_of(trace, 3, 8);
  EXPECT_EQ(place.tensor + place.stage + place.data, 0);
}

}  // namespace
}  // namespace pipewright::test
