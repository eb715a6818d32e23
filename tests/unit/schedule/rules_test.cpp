// Schedules from rules: what each part of the format does, and what is said of mistakes in it.
#include "schedule/rules/rules.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "error_of.hpp"
#include "order_text.hpp"
#include "schedule/kinds/kinds.hpp"

namespace pipewright::schedule {
namespace {

using test::error_of;
using test::order_text;

/// The schedule of rules given as YAML, with options beside them.
Schedule built_from(const std::string& rules, const Shape& shape, const std::string& options = "") {
  config::Value spec = config::parse("{rules: 0" + options + "}", "spec.yaml");
  *spec.find("rules") = config::parse(rules, "r.yaml");
  return build(shape, spec);
}

std::string error_in(const std::string& rules,
                     const Shape& shape = {.ranks = 2, .micro_batches = 2},
                     const std::string& options = "") {
  return error_of([&] { built_from(rules, shape, options); });
}

const std::string linear = "placement: linear\n";

// --- Phases ---

TEST(RulesSteps, calls_without_arguments_go_through_the_micro_batches) {
  const Schedule s = built_from(linear +
                                    "warm_up: {repeat: 1 - i, do: F}\n"
                                    "steady: {repeat: m - 1 + i, do: F B}\n"
                                    "drain: {repeat: 1 - i, do: B}\n",
                                {.ranks = 2, .micro_batches = 3});
  EXPECT_EQ(order_text(s.order[0]), "0F0 0F1 0B0 0F2 0B1 0B2");
  EXPECT_EQ(order_text(s.order[1]), "1F0 1B0 1F1 1B1 1F2 1B2");
  EXPECT_EQ(s.stages, 2);
}

TEST(RulesSteps, repetitions_nest_and_count) {
  // Backwards from the last group of two on, in each from the first.
  const Schedule s = built_from(linear +
                                    "warm_up: {repeat: m, do: F}\n"
                                    "drain:\n"
                                    "  repeat: m / 2\n"
                                    "  counting: group\n"
                                    "  do:\n"
                                    "    repeat: 2\n"
                                    "    do: B(0, m - 2 - 2 * group + k)\n",
                                {.ranks = 1, .micro_batches = 4});
  EXPECT_EQ(order_text(s.order[0]), "0F0 0F1 0F2 0F3 0B2 0B3 0B0 0B1");
}

TEST(RulesSteps, a_choice_takes_one_side) {
  const Schedule s = built_from(linear +
                                    "steady:\n"
                                    "  repeat: m\n"
                                    "  do:\n"
                                    "    - F\n"
                                    "    - {if: i == 0, do: B, else: I W}\n",
                                {.ranks = 2, .micro_batches = 1});
  EXPECT_EQ(order_text(s.order[0]), "0F0 0B0");
  EXPECT_EQ(order_text(s.order[1]), "1F0 1I0 1W0");
}

TEST(RulesSteps, what_is_no_longer_there_can_be_left_out) {
  const Schedule s = built_from(linear + "steady: {repeat: m + 3, do: 'F? I?(0, k) W?'}\n",
                                {.ranks = 1, .micro_batches = 2});
  EXPECT_EQ(order_text(s.order[0]), "0F0 0I0 0W0 0F1 0I1 0W1");
}

TEST(RulesSteps, a_weight_gradient_is_the_oldest_that_waits) {
  // Over both chunks of the rank; with a chunk, the oldest of that chunk.
  const std::string rules =
      "placement: v-shape\nvirtual: 2\n"
      "steady: F F F(1) F(1) I(1) I(1) I(0) I(0) ";
  EXPECT_EQ(order_text(built_from(rules + "W W W W\n", {.ranks = 1, .micro_batches = 2}).order[0]),
            "0F0 0F1 1F0 1F1 1I0 1I1 0I0 0I1 1W0 1W1 0W0 0W1");
  EXPECT_EQ(
      order_text(built_from(rules + "W(0) W W W\n", {.ranks = 1, .micro_batches = 2}).order[0]),
      "0F0 0F1 1F0 1F1 1I0 1I1 0I0 0I1 0W0 1W0 1W1 0W1");
}

TEST(RulesSteps, a_bar_pairs_a_forward_with_the_backward_after_it) {
  const std::string rules = linear + "steady: F {} | B B?\n";
  EXPECT_EQ(
      order_text(
          built_from(linear + "steady: F F | B B\n", {.ranks = 1, .micro_batches = 2}).order[0]),
      "0F0 (0F1 0B0) 0B1");
  // A half that is left out leaves the other alone.
  EXPECT_EQ(
      order_text(
          built_from(linear + "steady: F F? | B B?\n", {.ranks = 1, .micro_batches = 1}).order[0]),
      "0F0 0B0");
}

TEST(RulesSteps, slices_go_forward_in_order_and_backward_reversed) {
  const std::string rules = linear +
                            "slices: 2\n"
                            "warm_up: {repeat: m * K, do: F}\n"
                            "drain: {repeat: m * K, do: B}\n";
  EXPECT_EQ(order_text(built_from(rules, {.ranks = 1, .micro_batches = 1}).order[0], true),
            "0F0.0 0F0.1 0B0.1 0B0.0");
  const Schedule s = built_from(rules, {.ranks = 1, .micro_batches = 1}, ", slices: [5, 2, 3]");
  EXPECT_EQ(order_text(s.order[0], true), "0F0.0 0F0.1 0F0.2 0B0.2 0B0.1 0B0.0");
  EXPECT_EQ(s.slice_tokens, (std::vector<int>{5, 2, 3}));
}

TEST(RulesSteps, iterations_repeat_the_rules) {
  const Schedule s = built_from(linear + "steady: {repeat: m, do: F B}\n",
                                {.ranks = 1, .micro_batches = 1, .iterations = 2});
  EXPECT_EQ(order_text(s.order[0]), "0F0 0B0 0F1 0B1");
  EXPECT_EQ(s.order[0][2].weight_version, 1);
}

// --- Placement ---

std::vector<std::vector<int>> stages_by_rank(const Schedule& s) {
  std::vector<std::vector<int>> stages;
  for (const Order& order : s.order) {
    stages.emplace_back();
    for (const Action& a : order)
      if (a.pass == Pass::forward && a.micro_batch == 0) stages.back().push_back(a.stage);
  }
  return stages;
}

TEST(RulesPlacement, names_and_expressions_say_where_stages_lie) {
  const std::string order = "\nvirtual: 2\npriority: {F: 1, B: 0}\n";
  const auto lie = [&](const std::string& placement) {
    return stages_by_rank(built_from("placement: " + placement + order, {.ranks = 2}));
  };
  using Stages = std::vector<std::vector<int>>;
  EXPECT_EQ(lie("linear"), (Stages{{0, 1}, {2, 3}}));
  EXPECT_EQ(lie("interleaved"), (Stages{{0, 2}, {1, 3}}));
  EXPECT_EQ(lie("v-shape"), (Stages{{0, 3}, {1, 2}}));
  EXPECT_EQ(lie("1 - s % p"), (Stages{{1, 3}, {0, 2}}));
}

TEST(RulesPlacement, bidirectional_keeps_two_copies) {
  const Schedule s = built_from("placement: bidirectional\npriority: {F: 1, B: 0}\n",
                                {.ranks = 2, .micro_batches = 3});
  // Micro-batches 0 and 1 go down, 2 goes up.
  for (int i = 0; i < 2; ++i)
    for (const Action& a : s.order[i]) EXPECT_EQ(a.stage, a.micro_batch < 2 ? i : 1 - i);
}

TEST(RulesPlacement, copies_serve_the_micro_batches_that_copy_says) {
  const Schedule s = built_from(
      "placement: (s + q) % p\nstages: p\ncopies: p\ncopy: b % p\npriority: {F: 1, B: 0}\n",
      {.ranks = 3, .micro_batches = 6});
  for (int i = 0; i < 3; ++i)
    for (const Action& a : s.order[i]) EXPECT_EQ((a.stage + a.micro_batch % 3) % 3, i);
}

TEST(RulesPlacement, what_cannot_be_placed_is_shown) {
  const std::string order = "\nsteady: F B\n";
  EXPECT_EQ(error_in("placement: s + 1" + order),
            "r.yaml:1:12: error: 's + 1' is 2, but must be from 0 to 1 (p = 2, m = 2, v = 1, K = "
            "1, t = 1, s = 1, q = 0)");
  EXPECT_EQ(error_in("placement: linaer" + order),
            "r.yaml:1:12: error: 'linaer' must be linear, interleaved, v-shape, bidirectional or "
            "an expression in s, the stage; did you mean 'linear'?");
  EXPECT_EQ(error_in("placement: s % p\nstages: 3" + order),
            "r.yaml:2:9: error: 3 stages must be a multiple of the 2 ranks (p = 2, m = 2, v = 1, K "
            "= 1, t = 1)");
  EXPECT_EQ(
      error_in("placement: s % p\nstages: 1000000" + order, {.ranks = 2, .micro_batches = 99}),
      "r.yaml:2:9: error: 1000000 stages in 1 copies x 99 micro-batches x 1 slices are more than "
      "20000000 pieces of work");
  EXPECT_EQ(error_in(order), "r.yaml:2:1: error: a rules file needs the key 'placement'");
}

// --- Slots and priorities ---

TEST(RulesSlots, order_is_by_slot) {
  const Schedule s = built_from(linear + "slots: {F: 2 * b + s, B: 2 * b + 2 * p - 1 - s}\n",
                                {.ranks = 2, .micro_batches = 2});
  EXPECT_EQ(order_text(s.order[0]), "0F0 0F1 0B0 0B1");
  EXPECT_EQ(order_text(s.order[1]), "1F0 1B0 1F1 1B1");
}

TEST(RulesSlots, two_passes_of_a_rank_in_one_slot_are_refused) {
  EXPECT_EQ(error_in(linear + "slots: {F: b, B: 1 + b}\n"),
            "r.yaml:2:8: error: 0B0 and 0F1 of rank 0 have the same slot 1");
  EXPECT_EQ(error_in(linear + "slots: {F: b, I: m + b}\n"),
            "r.yaml:2:8: error: needs F, and either B or both I and W");
  EXPECT_EQ(error_in(linear + "slots: {B: b}\n"),
            "r.yaml:2:8: error: needs F, and either B or both I and W");
}

TEST(RulesPriority, a_ready_backward_first_under_1f1bs_cap_is_1f1b) {
  for (int m = 1; m <= 9; ++m) {
    const Shape shape{.ranks = 4, .micro_batches = m};
    const Schedule s = built_from(
        linear + "priority: {F: 1, B: 0, memory_cap: p - i, times: {F: 1, B: 1}}\n", shape);
    EXPECT_EQ(s.order, build(shape, config::scalar("1f1b")).order) << m;
  }
}

TEST(RulesPriority, weight_gradients_fill_what_is_idle) {
  // One rank, room for one activation: W must run before the next F can.
  const Schedule s = built_from(linear + "priority: {F: 0, I: 1, W: 2, memory_cap: 1}\n",
                                {.ranks = 1, .micro_batches = 2});
  EXPECT_EQ(order_text(s.order[0]), "0F0 0I0 0W0 0F1 0I1 0W1");
}

TEST(RulesPriority, a_cap_that_stops_everything_is_a_misfit_that_says_so) {
  // Two chunks a rank in a V: with room for one, the second forward of the only micro-batch waits
  // for the first one's backward, which waits for it. Rank 0 takes the first forwards of both
  // micro-batches before the last forward of one is ready: three activations.
  const std::string rules =
      "placement: v-shape\nvirtual: 2\npriority: {F: 1, B: 0, memory_cap: 1}\n";
  EXPECT_EQ(
      error_in(rules),
      "r.yaml:3:36: error: rank 0 may hold 1 activations, and then no rank can go on; 2 more on "
      "every rank, or 'in_flight', which counts micro-batches as they enter, avoids that");
  EXPECT_THROW(built_from(rules, {.ranks = 2, .micro_batches = 2}), Misfit);
}

TEST(RulesPriority, times_must_name_the_passes_that_have_priorities) {
  EXPECT_EQ(error_in(linear + "priority: {F: 0, B: 1, times: {F: 1, I: 1, W: 1}}\n"),
            "r.yaml:2:31: error: must name the passes that have priorities");
  EXPECT_NE(error_in(linear + "priority: {F: 0, B: 1, times: {F: 1, B: 0 - 1}}\n")
                .find("'0 - 1' is -1, but must be from 0 to 1000000000"),
            std::string::npos);
}

// --- Weight versions ---

TEST(RulesWeights, without_a_flush_every_pass_says_what_it_reads) {
  const std::string rules = linear +
                            "flush: false\n"
                            "steady: {repeat: m * t, do: F B}\n"
                            "weights: {step_every: 1, version: b}\n";
  const Schedule s = built_from(rules, {.ranks = 1, .micro_batches = 1, .iterations = 2});
  EXPECT_FALSE(s.synchronous);
  EXPECT_EQ(s.step_every, 1);
  EXPECT_EQ(s.order[0][2].weight_version, 1);
}

TEST(RulesWeights, a_version_that_is_not_made_yet_is_refused) {
  const std::string rules = linear +
                            "flush: false\n"
                            "steady: {repeat: m, do: F B}\n"
                            "weights:\n"
                            "  step_every: 2\n"
                            "  version: {F: b, B: 0}\n";
  EXPECT_EQ(error_in(rules, {.ranks = 1, .micro_batches = 4}),
            "r.yaml:6:16: error: 0F1 reads version 1, but by then rank 0 has made 0 (p = 1, i = 0, "
            "m = 4, v = 1, K = 1, t = 1, s = 0, b = 1, x = 0, q = 0, n = 1)");
  EXPECT_EQ(
      error_in(linear + "flush: false\nsteady: {repeat: m, do: F B}\nweights: {version: {F: 0}}\n"),
      "r.yaml:4:10: error: says nothing of the version that B reads");
  EXPECT_EQ(error_in(linear + "steady: F B\nweights: {version: 0}\n"),
            "r.yaml:3:10: error: weight versions need 'flush: false'; with a flush every pass "
            "reads the newest one");
  EXPECT_EQ(error_in(linear + "steady: F B\nflush: false\n"),
            "r.yaml:1:1: error: 'flush: false' needs 'weights': the version that each pass reads");
}

// --- Options and requirements ---

TEST(RulesOptions, parameters_take_their_defaults_or_what_the_user_gives) {
  const std::string rules = linear +
                            "parameters: {group: m, twice: 2 * group, back: false}\n"
                            "warm_up: {repeat: m, do: F}\n"
                            "drain: {repeat: m, do: 'B(0, if(back, m - 1 - k, k))'}\n"
                            "require: [{that: twice == 4, otherwise: twice must be 4}]\n";
  const Shape shape{.ranks = 1, .micro_batches = 2};
  EXPECT_EQ(order_text(built_from(rules, shape).order[0]), "0F0 0F1 0B0 0B1");
  EXPECT_EQ(order_text(built_from(rules, shape, ", back: true").order[0]), "0F0 0F1 0B1 0B0");
  EXPECT_EQ(error_in(rules, shape, ", group: 3"),
            "spec.yaml:1:1: error: twice must be 4 (with 1 ranks, 2 micro-batches)");
  EXPECT_THROW(built_from(rules, shape, ", group: 3"), Misfit);
  EXPECT_EQ(error_in(rules, shape, ", group: many"),
            "spec.yaml:1:19: error: 'many' must be a whole number from -1000000000 to 1000000000");
}

TEST(RulesOptions, only_what_the_file_speaks_of_can_be_given) {
  const std::string rules = linear + "parameters: {group: m}\nsteady: F B\n";
  EXPECT_EQ(error_in(rules, {}, ", virtual: 2"),
            "spec.yaml:1:12: error: unknown key 'virtual'; this rules file has: rules, group");
  EXPECT_EQ(error_in(rules, {}, ", gruop: 2"),
            "spec.yaml:1:12: error: unknown key 'gruop'; did you mean 'group'?");
}

// --- Mistakes ---

TEST(RulesMistakes, keys_and_forms_are_checked_where_they_stand) {
  EXPECT_EQ(error_in(linear + "stedy: F B\n"),
            "r.yaml:2:1: error: unknown key 'stedy'; did you mean 'steady'?");
  EXPECT_EQ(error_in(linear),
            "r.yaml:1:1: error: needs one of: the phases 'warm_up', 'steady' and 'drain'; 'slots'; "
            "'priority'");
  EXPECT_EQ(error_in(linear + "steady: F B\nslots: {F: b, B: m + b}\n"),
            "r.yaml:1:1: error: needs one of: the phases 'warm_up', 'steady' and 'drain'; 'slots'; "
            "'priority'");
  EXPECT_EQ(error_in(linear + "steady: {do: F}\n"),
            "r.yaml:2:9: error: must be passes such as 'F B', a repetition {repeat: ..., do: ...} "
            "or a choice {if: ..., do: ...}");
  EXPECT_EQ(error_in(linear + "steady: {repeat: m}\n"),
            "r.yaml:2:9: error: a repetition needs the key 'do'");
  EXPECT_EQ(error_in(linear + "steady: F X\n"),
            "r.yaml:2:11: error: 'X' stands where one of the passes F, B, I and W is expected");
  EXPECT_EQ(error_in(linear + "steady: {repeat: min(p, m), do: F}\n"),
            "r.yaml:2:25: error: 'm)' is cut off at a comma; inside { } a text with commas needs "
            "quotes");
  EXPECT_EQ(error_in(linear + "steady: B | F\n"),
            "r.yaml:2:11: error: '|' pairs an F with the B or I that follows it");
  EXPECT_EQ(error_in(linear + "steady: F |\n"),
            "r.yaml:2:11: error: '|' pairs an F with the B or I that follows it");
  EXPECT_EQ(error_in(linear + "steady: F(0, 1, 2, 3)\n"),
            "r.yaml:2:9: error: a pass has a chunk, a micro-batch and a slice, not more arguments");
  EXPECT_EQ(error_in(linear + "let: {p: 1}\nsteady: F B\n"),
            "r.yaml:2:7: error: 'p' has a meaning already; take another name");
}

TEST(RulesMistakes, passes_that_do_not_exist_are_shown_with_what_was_going_on) {
  const std::string values = " (p = 2, i = 0, m = 2, v = 1, K = 1, t = 1";
  EXPECT_EQ(error_in(linear + "steady: {repeat: 3, do: F}\n"),
            "r.yaml:2:25: error: rank 0: no such pass is left; '?' after it leaves it out then" +
                values + ", k = 2)");
  EXPECT_EQ(error_in(linear + "steady: F(1)\n"),
            "r.yaml:2:9: error: rank 0 has no chunk 1; it holds 1" + values + ")");
  EXPECT_EQ(error_in(linear + "steady: F W\n"),
            "r.yaml:2:11: error: rank 0: no I is left that waits for its W; '?' after it leaves it "
            "out then" +
                values + ")");
  EXPECT_EQ(error_in(linear + "steady: F(0, 2)\n"),
            "r.yaml:2:9: error: there is no micro-batch 2; '?' after it leaves it out then" +
                values + ")");
  EXPECT_EQ(error_in(linear + "slices: 2\nsteady: F(0, 1)\n"),
            "r.yaml:3:9: error: with slices, a pass of a micro-batch must name its slice as well "
            "(p = 2, i = 0, m = 2, v = 1, K = 2, t = 1)");
  EXPECT_EQ(error_in("placement: bidirectional\nsteady: F(0, 1)\n"),
            "r.yaml:2:9: error: micro-batch 1 goes through copy 1 of the model, chunk 0 of rank 0 "
            "belongs to copy 0" +
                values + ")");
}

TEST(RulesMistakes, an_order_that_is_incomplete_or_cannot_run_is_refused) {
  EXPECT_EQ(
      error_in(linear + "steady: {repeat: m, do: F}\n"),
      "r.yaml:2:9: error: stage 0 never does B of micro-batch 0: 0 of 2 B are done (p = 2, m = "
      "2)");
  EXPECT_EQ(error_in("parameters: {lag: 1}\n" + linear +
                     "steady: {repeat: m, do: F I}\ndrain: {repeat: m - lag, do: W}\n"),
            "r.yaml:3:9: error: stage 0 never does W of micro-batch 1: 1 of 2 W are done on rank 0 "
            "(p = 2, m = 2, lag = 1)");
  EXPECT_EQ(error_in(linear + "steady: F(0, 0) F(0, 0)\n"),
            "r.yaml:2:9: error: 0F0 is given twice, both times on rank 0 (p = 2, m = 2)");
  EXPECT_NE(error_in(linear + "steady: {repeat: m, do: B F}\n").find("must come after"),
            std::string::npos);
}

TEST(RulesMistakes, a_file_that_never_ends_is_stopped) {
  EXPECT_EQ(error_in(linear + "steady: {repeat: 9223372036854775807, do: 'F?'}\n"),
            "r.yaml:2:43: error: the rules take too long: far more steps than there are passes");
  EXPECT_EQ(error_in(linear + "steady: {repeat: 1000, do: 'F(0, 0)'}\n"),
            "r.yaml:2:29: error: rank 0 has more passes than its stages need (p = 2, i = 0, m = 2, "
            "v = 1, K = 1, t = 1, k = 6)");
}

// --- Files ---

TEST(RulesFile, is_found_beside_the_file_that_names_it) {
  const std::string folder = testing::TempDir() + "pipewright_rules_test";
  std::ofstream(folder + ".yaml") << linear << "steady: {repeat: m, do: F B}\n";
  config::Value spec =
      config::parse("{rules: pipewright_rules_test.yaml}", folder + "_experiment.yaml");
  EXPECT_EQ(order_text(build({}, spec).order[0]), "0F0 0B0");
  std::remove((folder + ".yaml").c_str());
}

TEST(RulesFile, that_cannot_be_read_is_reported_where_it_is_named) {
  EXPECT_EQ(error_of([] { build({}, config::parse("{rules: none.yaml}", "e.yaml")); }),
            "e.yaml:1:9: error: cannot read file 'none.yaml'");
  EXPECT_EQ(error_of([] { build({}, config::parse("{rules: [1]}", "e.yaml")); }),
            "e.yaml:1:9: error: must be the path of a rules file");
}

}  // namespace
}  // namespace pipewright::schedule
