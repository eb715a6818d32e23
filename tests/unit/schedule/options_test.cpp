// What a user reads who gives a schedule options or a shape that it cannot serve.
#include <gtest/gtest.h>

#include <optional>

#include "built.hpp"
#include "error_of.hpp"
#include "schedule/mitigations.hpp"
#include "schedule/schedule.hpp"

namespace pipewright::schedule {
namespace {

/// The error of building `spec` (a document "s.yaml"), or "no error".
std::string error_of_building(const char* spec, const Shape& shape) {
  return test::error_of([&] { built(spec, shape); });
}
std::string error_of_building(const char* spec, int ranks, int micro_batches) {
  return error_of_building(spec, {.ranks = ranks, .micro_batches = micro_batches});
}
bool is_misfit(const char* spec, const Shape& shape) {
  try {
    built(spec, shape);
  } catch (const Misfit&) {
    return true;
  } catch (const InputError&) {
  }
  return false;
}

/// A model of `tokens` tokens where a slice costs its length and its context.
Shape with_costs(int ranks, int micro_batches, int tokens) {
  return {.ranks = ranks, .micro_batches = micro_batches, .sequence = tokens, .costs = [](int) {
            StageCosts costs;
            costs.slice_cost = [](int length, int context) {
              return microseconds(length) + nanoseconds(int64_t{length} * context);
            };
            return costs;
          }};
}

TEST(Options, an_unknown_option_is_refused_with_the_nearest_known_one) {
  EXPECT_EQ(error_of_building("{name: pipedream, vertical-sync: true}", 2, 2),
            "s.yaml:1:19: error: unknown key 'vertical-sync'; did you mean "
            "'vertical_sync'?");
}

TEST(Options, an_alias_builds_its_schedule) {
  for (const auto& [alias, name] : {std::pair{"1f1b-so", "eager-1f1b"}, {"2bw", "pipedream-2bw"}})
    EXPECT_EQ(find_kind(alias), find_kind(name));
}

TEST(Options, a_choice_is_one_of_its_words) {
  EXPECT_NE(error_of_building("{name: spectrain, backward: stash}", 2, 2), "no error");
  EXPECT_NE(error_of_building("{name: xpipe, rounding: away}", 2, 2), "no error");
  EXPECT_NE(error_of_building("{name: pipelined-backprop, clock: wall}", 2, 2), "no error");
  EXPECT_NE(error_of_building("{name: looped-bfs, backward_order: random}", 2, 2), "no error");
  EXPECT_NE(error_of_building("{name: seq-1f1b, balance: words}", 2, 2), "no error");
  EXPECT_NE(error_of_building("{name: looped-bfs, virtual: 0}", 2, 2), "no error");
  EXPECT_NE(error_of_building("{name: eager-1f1b, split_backward: 3}", 2, 2), "no error");
}

TEST(Options, pipelined_backpropagation_names_its_forms_of_prediction) {
  for (const char* form : {"false", "true", "velocity", "difference"})
    EXPECT_EQ(error_of_building(("{name: pipelined-backprop, weight_prediction: " +
                                 std::string(form) + ", spike_compensation: true}")
                                    .c_str(),
                                4, 4),
              "no error");
  EXPECT_NE(error_of_building("{name: pipelined-backprop, weight_prediction: acceleration}", 2, 2),
            "no error");
}

// Lockstep: D = 2 (p - 1 - s) updates lie between the passes of stage s, else p - 1 - s.
TEST(Options, spikes_are_as_late_as_the_clock_makes_them) {
  const auto delays = [](const char* spec) {
    return mitigations_of(config::parse(spec, "s.yaml"), 4).spike_delays;
  };
  EXPECT_EQ(delays("{name: pipelined-backprop, spike_compensation: true}"),
            (std::vector<int>{3, 2, 1, 0}));
  EXPECT_EQ(delays("{name: pipelined-backprop, clock: lockstep, spike_compensation: true}"),
            (std::vector<int>{6, 4, 2, 0}));
  EXPECT_TRUE(delays("pipelined-backprop").empty());
  EXPECT_TRUE(delays("{name: pipeoptim, prediction_offset: 1}").empty());
}

TEST(Options, two_buffers_need_as_many_micro_batches_as_ranks) {
  EXPECT_EQ(error_of_building("pipedream-2bw", 4, 3),
            "s.yaml:1:1: error: pipedream-2bw needs at least as many micro-batches as ranks: 4, "
            "not 3");
  EXPECT_TRUE(is_misfit("2bw", {.ranks = 4, .micro_batches = 3}));
  EXPECT_EQ(error_of_building("pipedream-2bw", 4, 4), "no error");
}

TEST(Options, interleaving_says_which_numbers_of_micro_batches_fit) {
  EXPECT_EQ(error_of_building("interleaved-1f1b", 4, 10),
            "s.yaml:1:1: error: 10 micro-batches in groups of 4 leave 2, fewer than the 4 ranks; a "
            "multiple of 4 fits, as does 'grouping: torch' where it divides them");
  EXPECT_EQ(error_of_building("{name: interleaved-1f1b, group: 3}", 4, 12),
            "s.yaml:1:33: error: groups of 3 micro-batches must hold at least as many as there are "
            "ranks (4) and at most all (12)");
  EXPECT_EQ(error_of_building("{name: interleaved-1f1b, grouping: torch}", 4, 9),
            "s.yaml:1:1: error: 9 micro-batches cannot be cut into 2 equal rounds; a multiple of "
            "the 4 ranks fits");
  EXPECT_EQ(error_of_building("{name: interleaved-1f1b, grouping: torch, group: 4}", 4, 8),
            "s.yaml:1:50: error: 'grouping: torch' sets the group itself; leave one of the two "
            "out");
  for (const char* misfit : {"interleaved-1f1b", "{name: interleaved-1f1b, group: 11}",
                             "{name: interleaved-1f1b, grouping: torch}"})
    EXPECT_TRUE(is_misfit(misfit, {.ranks = 4, .micro_batches = 9})) << misfit;
}

TEST(Slices, must_be_a_number_a_list_or_auto) {
  EXPECT_EQ(error_of_building("{name: terapipe, slices: {}}", 2, 2),
            "s.yaml:1:26: error: must be a number, a list of token lengths, or auto");
  EXPECT_NE(error_of_building("{name: terapipe, slices: 0}", 2, 2), "no error");
  EXPECT_NE(error_of_building("{name: terapipe, slices: 5000}", 2, 2), "no error");
  EXPECT_NE(error_of_building("{name: terapipe, slices: [4, 0]}", 2, 2), "no error");
  EXPECT_EQ(error_of_building("{name: terapipe, slices: []}", 2, 2),
            "s.yaml:1:26: error: must list the tokens of at least one slice");
}

TEST(Slices, auto_needs_a_model_whose_cost_is_known) {
  const Shape shape{.ranks = 2, .micro_batches = 2, .sequence = 64};
  EXPECT_EQ(error_of_building("{name: terapipe, slices: auto}", shape),
            "s.yaml:1:26: error: 'slices: auto' needs a model whose cost by tokens is known; a "
            "number of slices or a list of their tokens fits");
  EXPECT_TRUE(is_misfit("{name: terapipe, slices: auto}", shape));
}

TEST(Slices, a_list_has_the_tokens_of_the_sequence) {
  const Shape shape{.ranks = 2, .micro_batches = 2, .sequence = 64};
  EXPECT_EQ(error_of_building("{name: terapipe, slices: [32, 16]}", shape),
            "s.yaml:1:26: error: the slices have 48 tokens together, but the sequence has 64");
  const Schedule s = built("{name: terapipe, slices: [32, 16, 16]}", shape);
  EXPECT_EQ(s.slices, 3);
  EXPECT_EQ(s.slice_tokens, (std::vector<int>{32, 16, 16}));
}

TEST(Slices, a_number_shares_the_tokens_alike) {
  const Shape shape{.ranks = 2, .micro_batches = 2, .sequence = 10};
  const Schedule s = built("{name: terapipe, slices: 4}", shape);
  EXPECT_EQ(s.slice_tokens, (std::vector<int>{3, 3, 2, 2}));
  EXPECT_TRUE(built("{name: terapipe, slices: 5}", shape).slice_tokens.empty())
      << "equal slices need no lengths";
  EXPECT_EQ(error_of_building("{name: terapipe, slices: 11}", shape),
            "s.yaml:1:1: error: 11 slices are more than the sequence has places to cut: 10");
  EXPECT_TRUE(is_misfit("{name: terapipe, slices: 11}", shape));
}

TEST(Slices, auto_is_terapipes_default_where_the_cost_is_known) {
  // t = length (1 us + 1 ns x context): cuts cost nothing, so with many ranks and one micro-batch
  // the longest slice is what counts and the finest cut, 8 tokens, wins. With one rank cuts gain
  // nothing either way and the sum decides: whole, since context makes slices dearer.
  EXPECT_EQ(build(with_costs(64, 1, 64), config::scalar("terapipe")).slices, 8);
  EXPECT_EQ(build(with_costs(1, 1, 64), config::scalar("terapipe")).slices, 1);
  const Shape shape = with_costs(64, 1, 64);
  EXPECT_EQ(built("{name: terapipe, granularity: 32}", shape).slices, 2);
  EXPECT_NE(error_of_building("{name: terapipe, granularity: 65}", shape), "no error");
}

TEST(Slices, seq1f1b_balances_compute_unless_told_otherwise) {
  // Later slices have a longer context and get fewer tokens. t = length (1000 + context) ns over
  // 4096 tokens in halves a and 4096 - a, alike where a 1000 = (4096 - a)(1000 + a): a = 3327.1 of
  // pieces of 16.
  const Shape shape = with_costs(2, 2, 4096);
  const Schedule s = built("{name: seq-1f1b, slices: 2}", shape);
  ASSERT_EQ(s.slice_tokens.size(), 2u);
  EXPECT_NEAR(s.slice_tokens[0], 3327.1, 16);
  EXPECT_TRUE(built("{name: seq-1f1b, slices: 2, balance: tokens}", shape).slice_tokens.empty());
}

}  // namespace
}  // namespace pipewright::schedule
