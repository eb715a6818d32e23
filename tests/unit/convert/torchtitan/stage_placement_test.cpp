#include "convert/torchtitan/stage_placement.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "schedule/kinds/kinds.hpp"

namespace pipewright::test {
namespace {

torchtitan::StagePlacement placement(const std::string& schedule) {
  const schedule::Shape shape{.ranks = 4, .micro_batches = 8};
  const config::Value spec = config::parse(schedule, "schedule");
  return torchtitan::placement_in_file(schedule::build(shape, spec), "orders.csv", spec);
}

// Of torchtitan's schedules 1F1B has a stage a rank, Interleaved1F1B loops over the ranks, and
// ZBVZeroBubble goes down and up again.
TEST(TorchtitanStagePlacement, is_that_of_a_schedule_with_a_name) {
  EXPECT_EQ(placement("zb-h1").schedule, "PipelineScheduleSingle");
  EXPECT_EQ(placement("{name: interleaved-1f1b, virtual: 2}").schedule, "PipelineScheduleMulti");
  EXPECT_EQ(placement("v-half").schedule, "ZBVZeroBubble");
  EXPECT_EQ(placement("v-half").stages_of_a_rank, 2);
}

TEST(TorchtitanStagePlacement, what_is_more_than_an_order_is_refused) {
  EXPECT_NE(error_of([] { placement("chimera"); }).find("every stage on one rank"),
            std::string::npos);
  EXPECT_NE(error_of([] { placement("pipedream-2bw"); }).find("optimizer waits"),
            std::string::npos);
  EXPECT_NE(error_of([] { placement("bpipe"); }).find("more than an order of passes"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
