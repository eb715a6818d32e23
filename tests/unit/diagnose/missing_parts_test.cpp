#include "diagnose/missing_parts.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

using enum OperationKind;
using Passes = std::vector<std::vector<diagnose::PassSpan>>;

diagnose::PassSpan known_pass(OperationKind kind, int32_t stage, int32_t micro_batch) {
  return {.pass = {.kind = kind, .stage = stage, .micro_batch = micro_batch}};
}

/// Both directions of one micro-batch.
std::vector<diagnose::PassSpan> both(int32_t stage) {
  return {known_pass(forward, stage, 0), known_pass(backward, stage, 0)};
}

RunSlice message_to(int32_t rank) { return {.kind = RunSliceKind::message, .to_rank = rank}; }

TEST(MissingParts, of_a_whole_trace_there_is_nothing_to_say) {
  RunTrace trace{.ranks = {{.pipeline = 0}, {.pipeline = 1}}};
  trace.slices = {message_to(1), message_to(0)};
  EXPECT_TRUE(diagnose::missing_parts(trace, {both(0), both(1)}).empty());
}

TEST(MissingParts, ranks_without_passes_are_named_up_to_the_last_one) {
  const RunTrace last{.ranks = {{.pipeline = 5}}};
  EXPECT_EQ(diagnose::missing_parts(last, {both(5)}),
            (std::vector<std::string>{"this trace has no pass of pipeline ranks 0, 1, 2, 3 and 1 "
                                      "more: what waits for them cannot be told"}));
  const RunTrace idle{.ranks = {{.pipeline = 0}, {.pipeline = 1}}};
  EXPECT_EQ(diagnose::missing_parts(idle, {both(0), {}}),
            (std::vector<std::string>{"this trace has no pass of pipeline rank 1: what waits for "
                                      "it cannot be told"}));
}

TEST(MissingParts, receivers_go_by_the_numbers_that_messages_name) {
  RunTrace trace{.ranks = {{.pipeline = 0, .number = 4}, {.pipeline = 1, .number = 6}}};
  trace.slices = {message_to(6), message_to(1)};  // a place in the trace, but no number
  EXPECT_EQ(diagnose::missing_parts(trace, {both(0), both(1)}),
            (std::vector<std::string>{"this trace lacks rank 1, though others send to it: what "
                                      "waits for it cannot be told"}));
}

TEST(MissingParts, passes_of_one_direction_tell_that_the_iteration_is_cut) {
  RunTrace trace{.ranks = {{.pipeline = 0}, {.pipeline = 1}}};
  // Stage 1 has only forwards, as where nothing goes back: they do not count.
  const Passes passes = {
      {known_pass(forward, 0, 0), known_pass(forward, 0, 1), known_pass(backward, 0, 2),
       known_pass(backward, 0, 3), known_pass(backward, 0, 4)},
      {known_pass(forward, 1, 0)}};
  EXPECT_EQ(diagnose::missing_parts(trace, passes),
            (std::vector<std::string>{
                "2 forward passes have no backward pass: the end of the iteration is not in this "
                "trace",
                "3 backward passes have no forward pass: the begin of the iteration is not in "
                "this trace"}));
  trace.repeats = true;
  EXPECT_TRUE(diagnose::missing_parts(trace, passes).empty());

  const RunTrace one{.ranks = {{.pipeline = 0}}};
  EXPECT_EQ(diagnose::missing_parts(one, {{known_pass(forward, 0, 0)}}),
            (std::vector<std::string>{"this trace has no backward pass"}));
}

}  // namespace
}  // namespace pipewright::test
