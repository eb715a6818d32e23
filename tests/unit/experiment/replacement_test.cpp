#include <gtest/gtest.h>

#include "experiment/experiment.hpp"
#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

std::string error(const std::string& yaml) {
  return error_of([&] { read_experiment(experiment(yaml)); });
}

TEST(Replacement, a_trace_or_traffic_stands_for_model_and_schedule) {
  EXPECT_FALSE(read_experiment(experiment("trace: {goal: a.goal}\n")).has_schedule());
  EXPECT_FALSE(read_experiment(experiment("traffic: a.csv\n")).has_schedule());
  EXPECT_TRUE(read_experiment(experiment("schedule: 1f1b\n")).has_schedule());
}

TEST(Replacement, what_would_be_ignored_is_refused) {
  EXPECT_EQ(error("trace: {goal: a.goal}\nschedule: 1f1b\n"),
            "x.yaml:2:1: error: 'schedule' means nothing beside 'trace'");
  EXPECT_EQ(error("traffic: a.csv\nparallel: {tensor: 2}\n"),
            "x.yaml:2:1: error: 'parallel' means nothing beside 'traffic'");
  EXPECT_EQ(error("traffic: a.csv\ntrace: {goal: a.goal}\n"),
            "x.yaml:1:1: error: 'traffic' means nothing beside 'trace'");
  EXPECT_EQ(error("traffic: a.csv\nstragglers: [{device: 0, slowdown: 2}]\n"), "no error");
}

TEST(Replacement, a_trace_says_of_what_kind_it_is) {
  EXPECT_TRUE(error("trace: a.goal\n").starts_with("x.yaml:1:8: error:"));
  EXPECT_TRUE(
      error("trace: {goul: a.goal}\n").starts_with("x.yaml:1:9: error: unknown key 'goul'"));
  EXPECT_EQ(error("trace: {chakra: a}\n"), "no error");
}

}  // namespace
}  // namespace pipewright::test
