#include "study/study_problems.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "config/catalogue.hpp"

namespace pipewright::test {
namespace {

std::vector<std::string> told(const std::string& yaml, bool is_left) {
  std::vector<std::string> problems;
  const config::Catalogue catalogue;
  EXPECT_EQ(readable_study(config::parse(yaml, "s.yaml"), catalogue, problems).has_value(), is_left)
      << yaml;
  return problems;
}

TEST(StudyProblems, all_mistakes_of_a_study_are_told) {
  const std::vector<std::string> problems = told(
      "experiment: {model: gpt2-small}\n"
      "varies: {a: [1]}\n"
      "vary: {parallel.tensor: [], parallel.pipeline: 4}\n"
      "objective: [speed, iteration_time_s, size]\n"
      "screen: some\n",
      false);
  ASSERT_EQ(problems.size(), 6u);
  for (const char* at : {"s.yaml:2:1: ", "s.yaml:3:25: ", "s.yaml:3:48: ", "s.yaml:4:13: ",
                         "s.yaml:4:38: ", "s.yaml:5:9: "})
    EXPECT_TRUE(std::ranges::any_of(problems, [&](const std::string& one) {
      return one.starts_with(at);
    })) << at;
}

// Without its only axis 'vary' is empty, which is no mistake of its own.
TEST(StudyProblems, what_a_mistake_leaves_behind_is_none) {
  EXPECT_EQ(told("experiment: {model: gpt2-small}\nvary: {parallel.tensor: []}\n", false).size(),
            1u);
  EXPECT_EQ(told("experiment: {model: gpt2-small}\nobjective: [speed]\n", true).size(), 1u);
}

TEST(StudyProblems, an_experiment_that_is_not_there_hides_no_other_mistake) {
  for (const char* experiment : {"experiment: gone.yaml", "experiment: none-such"})
    EXPECT_EQ(told(std::string(experiment) + "\nvary: 3\nscreen: some\n", false).size(), 3u)
        << experiment;
}

TEST(StudyProblems, a_sound_study_has_none) {
  EXPECT_TRUE(told("experiment: {model: gpt2-small}\nvary: {batch.micro: [1, 2]}\n", true).empty());
}

}  // namespace
}  // namespace pipewright::test
