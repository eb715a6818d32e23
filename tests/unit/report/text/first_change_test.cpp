#include "report/text/first_change.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

Diagnosis with_a_remedy() {
  Diagnosis d{.source = "trace"};
  d.steps = {{7, 2, 1.9, 1.5}};
  d.typical.measured_s = 2;
  d.typical.simulated_s = 1.9;
  d.causes = {
      {.kind = CauseKind::stage, .who = "stage 3", .recovered_s = 0.4, .remedy = "fewer layers"}};
  return d;
}

bool says(const Diagnosis& d, const char* words) {
  return first_change(d).find(words) != std::string::npos;
}

TEST(FirstChange, the_first_cause_with_a_remedy_is_advice) {
  Diagnosis d = with_a_remedy();
  d.causes.insert(d.causes.begin(), {.who = "nobody knows", .recovered_s = 1});
  EXPECT_EQ(first_change(d), "First: fewer layers. That brings 400 ms, 20.0 % of a step.");
}

TEST(FirstChange, without_a_remedy_nothing_is_said) {
  EXPECT_EQ(first_change({.causes = {{.who = "one", .recovered_s = 1}}}), "");
}

TEST(FirstChange, a_cure_beyond_peers_brings_no_more) {
  Diagnosis d = with_a_remedy();
  d.causes[0].beyond_peers = true;
  EXPECT_TRUE(says(d, "That brings at most 400 ms"));
}

// Half of the step is in no cause, which is more than the 0.4 s of the only one.
TEST(FirstChange, what_nothing_explains_comes_before_smaller_gains) {
  Diagnosis d = with_a_remedy();
  d.typical.simulated_s = 1;
  EXPECT_EQ(first_change(d),
            "Look at the notes first: no cause explains 50.0 % of a step. Then: fewer layers. "
            "That brings 400 ms, 20.0 % of a step.");
}

// Gains are told within a twentieth of them.
TEST(FirstChange, what_is_within_the_error_of_another_gain_is_not_first) {
  const auto first = [](double of_all) {
    Diagnosis d = with_a_remedy();
    d.causes.push_back({.who = "all", .recovered_s = of_all, .beyond_peers = true, .remedy = "r"});
    return first_change(d).substr(0, 9);
  };
  EXPECT_EQ(first(7.9), "First: fe");
  EXPECT_EQ(first(8.1), "First: r.");
}

TEST(FirstChange, a_gain_says_how_far_steps_differ) {
  Diagnosis d = with_a_remedy();
  d.causes[0].gain_p10_s = 0.3;
  d.causes[0].gain_p90_s = 0.5;
  EXPECT_TRUE(says(d, "between 300 ms and 500 ms."));
}

TEST(FirstChange, gains_that_are_all_alike_have_no_range) {
  Diagnosis d = with_a_remedy();
  d.causes[0].gain_p10_s = 0.4;
  d.causes[0].gain_p90_s = 0.40000001;
  EXPECT_FALSE(says(d, "between"));
}

// Of steps of 1 s and one of 7 s the cause recovers 1 s on the mean: it is no more than a step.
TEST(FirstChange, what_a_cause_brings_is_of_the_mean_step) {
  Diagnosis d = with_a_remedy();
  d.steps = {{1, 1, 1, 1}, {2, 1, 1, 1}, {3, 1, 1, 1}, {4, 7, 7, 1}};
  d.typical.measured_s = 1;
  d.causes[0].recovered_s = 1.5;
  EXPECT_TRUE(says(d, "That brings 1.5 s, 60.0 % of a step."));
}

TEST(FirstChange, what_is_less_than_steps_vary_by_does_not_stand_out) {
  Diagnosis d = with_a_remedy();
  d.steps = {{1, 1, 1, 1}, {2, 2, 2, 1}, {3, 3, 3, 1}};
  EXPECT_TRUE(says(d, "Nothing stands out: no cause recovers more than the 1 s"));
}

}  // namespace
}  // namespace pipewright::test
