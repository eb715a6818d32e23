#include "report/timeline/message_ends.hpp"

#include <gtest/gtest.h>

#include "program/names.hpp"
#include "schedule/kinds/kinds.hpp"
#include "support/run_schedule.hpp"

namespace pipewright {
namespace {

test::Times times(int64_t ps) {
  test::Times times;
  times.forward = times.backward = times.input_gradient = times.weight_gradient = picoseconds(ps);
  times.pair = picoseconds(ps);
  return times;
}

/// Every transfer with its ends: "send 0F0 to rank 1: 0F0 -> 1F0".
std::vector<std::string> joined(const test::Simulated& run) {
  const MessageIndex messages(run.program, run.timeline);
  std::vector<std::string> all;
  for (OpId op = 0; op < run.program.ops.size(); ++op) {
    if (run.program.type(op).kind != OpKind::transfer) continue;
    const MessageEnds ends = messages.ends(op);
    const auto text = [&](OpId end) { return end == none ? "none" : name(run.program, end); };
    all.push_back(name(run.program, op) + ": " + text(ends.producer) + " -> " +
                  text(ends.consumer));
  }
  return all;
}

schedule::Schedule built(const char* name, int ranks, int micro_batches) {
  return schedule::build({.ranks = ranks, .micro_batches = micro_batches}, config::scalar(name));
}

TEST(MessageEnds, a_transfer_joins_neighbouring_stages_however_it_is_sent) {
  for (const SendMode mode : {SendMode::async, SendMode::sender, SendMode::rendezvous}) {
    const std::vector<std::string> expected = {"send 0F0 to rank 1: 0F0 -> 1F0",
                                               "send 1B0 to rank 0: 1B0 -> 0B0"};
    EXPECT_EQ(joined(test::run_schedule(built("1f1b", 2, 1), times(10), mode)), expected);
  }
}

TEST(MessageEnds, a_gradient_comes_from_the_first_half_of_a_split_backward) {
  EXPECT_EQ(joined(test::run_schedule(built("zb-h1", 2, 1), times(10))).back(),
            "send 1I0 to rank 0: 1I0 -> 0I0");
}

TEST(MessageEnds, work_that_takes_no_time_cannot_be_shown) {
  EXPECT_EQ(joined(test::run_schedule(built("1f1b", 2, 1), times(0))).front(),
            "send 0F0 to rank 1: none -> none");
}

}  // namespace
}  // namespace pipewright
