#include "simulate/stand_ins.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "simulate/run.hpp"
#include "study/validate.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

const std::vector<MeasuredRun>& published_runs() {
  static const std::vector<MeasuredRun> runs =
      read_measured_runs(config::Catalogue{}.load("validation", config::scalar("published-runs")));
  return runs;
}

/// What is told of a published run whose values of `keys` nothing is called.
std::vector<std::string> told_without(const MeasuredRun& run,
                                      const std::vector<const char*>& keys) {
  config::Value experiment = run.experiment;
  for (const char* key : keys) {
    config::Value nothing = config::scalar("nothing-of-this-name");
    nothing.mark = experiment.find(key)->mark;
    *experiment.find(key) = nothing;
  }
  return problems_of(experiment, config::Catalogue{}, {});
}

class StandInsForPublished : public testing::TestWithParam<std::vector<const char*>> {};

// All else of these experiments is sound, whatever stands in.
TEST_P(StandInsForPublished, only_what_is_wrong_is_told) {
  for (size_t i = 0; i < published_runs().size(); i += 7) {
    const MeasuredRun& run = published_runs()[i];
    const std::vector<std::string> told = told_without(run, GetParam());
    EXPECT_EQ(told.size(), GetParam().size())
        << run.name << ": " << (told.empty() ? "" : told.back());
  }
}

INSTANTIATE_TEST_SUITE_P(Keys, StandInsForPublished,
                         testing::Values(std::vector<const char*>{"model"},
                                         std::vector<const char*>{"cluster"},
                                         std::vector<const char*>{"schedule"},
                                         std::vector<const char*>{"model", "cluster", "schedule"}));

TEST(StandIns, what_is_wrong_beside_a_model_that_is_not_there_is_told) {
  const std::vector<std::string> told =
      problems_of(experiment("model: gpt2-smal\n"
                             "cluster: switch-9\n"
                             "schedule: {name: interleaved-1f1b, virtul: 2}\n"
                             "precision: bf17\n"),
                  config::Catalogue{}, {});
  ASSERT_EQ(told.size(), 4u);
  EXPECT_TRUE(told[0].starts_with("x.yaml:1:8: error: unknown model 'gpt2-smal'")) << told[0];
  EXPECT_TRUE(told[1].starts_with("x.yaml:4:12: error: 'bf17'")) << told[1];
  EXPECT_TRUE(told[2].starts_with("x.yaml:2:10: error: unknown cluster 'switch-9'")) << told[2];
  EXPECT_TRUE(told[3].starts_with("x.yaml:3:36: error: unknown key 'virtul'")) << told[3];
}

TEST(StandIns, what_is_lacking_is_told_once_and_the_rest_is_read) {
  const std::vector<std::string> told =
      problems_of(experiment("schedule: 1f1bb\nprecision: bf17\n"), config::Catalogue{}, {});
  ASSERT_EQ(told.size(), 4u);
  EXPECT_TRUE(told[0].starts_with("x.yaml:2:12: error: 'bf17'")) << told[0];
  for (const char* lacking : {"the key 'model'", "the key 'cluster'", "unknown schedule '1f1bb'"})
    EXPECT_TRUE(std::ranges::any_of(told, [&](const std::string& one) {
      return one.find(lacking) != std::string::npos;
    })) << lacking;
}

TEST(StandIns, flows_need_a_cluster_alone) {
  const std::vector<std::string> told =
      problems_of(experiment("traffic: [{from: 0, to: 1, bytes: 1}]\nnetwork: flaw\n"),
                  config::Catalogue{}, {});
  ASSERT_EQ(told.size(), 2u);
  EXPECT_TRUE(told[0].starts_with("x.yaml:2:10: error: 'flaw'")) << told[0];
  EXPECT_EQ(told[1], "x.yaml:1:1: error: an experiment needs the key 'cluster'");
}

}  // namespace
}  // namespace pipewright::test
