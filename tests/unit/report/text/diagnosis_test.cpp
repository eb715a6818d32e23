#include "report/text/diagnosis.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace pipewright::test {
namespace {

Diagnosis sick() {
  Diagnosis d{.source = "a<b\x1b[2J"};
  d.steps = {{7, 2, 1.9, 1.5}};
  d.parallel = {.pipeline = 4, .data = 2};
  d.micro_batches = 8;
  d.schedule = {"1f1b", 1, 64, "stage 0, pass 3: 0F3 instead of 0B0"};
  d.typical.measured_s = 2;
  d.typical.simulated_s = 1.9;
  d.typical.ideal_s = 1.5;
  d.typical.explained_fraction = 0.95;
  d.causes = {{.kind = CauseKind::stage,
               .who = "stage 3",
               .recovered_s = 0.4,
               .attributed_s = 0.4,
               .share = 1,
               .remedy = "fewer layers"}};
  d.notes = {"</script>"};
  return d;
}

TEST(DiagnosisText, it_is_one_screen_without_what_steers_a_terminal) {
  const std::string text = diagnosis_report(sick()).text();
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_LE(std::ranges::count(text, '\n'), 24);
  size_t from = 0;
  for (size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', from)) {
    EXPECT_LE(end - from, 80u) << text.substr(from, end - from);
    from = end + 1;
  }
}

TEST(DiagnosisText, the_first_cause_is_advice) {
  const std::string text = diagnosis_report(sick()).text();
  EXPECT_NE(text.find("stage    400 ms     20.0 %      400 ms  stage 3"), std::string::npos)
      << text;
  EXPECT_NE(text.find("First: fewer layers. That brings 400 ms, 20.0 % of a step."),
            std::string::npos);
  EXPECT_NE(text.find("1 of 64 passes out of order"), std::string::npos);
}

// Of 2, 2 and 5 s the median is 2 s, the mean 3 s.
TEST(DiagnosisText, a_mean_step_that_is_not_the_median_is_told) {
  Diagnosis d = sick();
  EXPECT_EQ(diagnosis_report(d).text().find("mean step"), std::string::npos);
  d.steps = {{7, 2, 1.9, 1.5}, {8, 2, 1.9, 1.5}, {9, 5, 4.9, 1.5}};
  EXPECT_NE(diagnosis_report(d).text().find("3 s  mean step, which causes are of"),
            std::string::npos)
      << diagnosis_report(d).text();
}

// No other stage holds up a device alone.
TEST(DiagnosisText, a_device_alone_stands_still) {
  Diagnosis d = sick();
  d.parallel = {};
  d.breakdown.host = seconds(1);
  d.breakdown.bubble = seconds(1);
  d.ranks = {{.breakdown = d.breakdown}};
  std::string text = diagnosis_report(d).text();
  std::ranges::replace(text, '\n', ' ');
  EXPECT_NE(text.find("stands still for 50.0 % though its host has asked for more."),
            std::string::npos)
      << text;
  d.parallel.pipeline = 4;
  EXPECT_NE(diagnosis_report(d).text().find("50.0 % is bubble"), std::string::npos);
}

// All lines have one base, whatever share of the excess a cause has or has not.
TEST(DiagnosisText, what_causes_recover_is_of_a_step) {
  Diagnosis d = sick();
  d.causes.push_back(
      {.kind = CauseKind::bubble, .who = "1f1b", .recovered_s = 0.5, .beyond_peers = true});
  const std::string text = diagnosis_report(d).text();
  EXPECT_NE(text.find("400 ms     20.0 %      400 ms"), std::string::npos) << text;
  EXPECT_NE(text.find("500 ms     25.0 %           -  1f1b (at most)"), std::string::npos) << text;
}

// The column of what a cause recovers alone holds nothing else.
TEST(DiagnosisText,
     what_another_cause_hides_recovers_nothing_alone_and_is_attributed_what_it_costs) {
  Diagnosis d = sick();
  d.causes.push_back({.kind = CauseKind::worker, .who = "rank 1", .attributed_s = 0.2});
  const std::string text = diagnosis_report(d).text();
  EXPECT_NE(text.find("worker       0 s      0.0 %      200 ms   rank 1"), std::string::npos)
      << text;
}

TEST(DiagnosisText, without_a_pipeline_there_is_no_schedule) {
  Diagnosis d = sick();
  d.parallel.pipeline = 1;
  d.schedule = {"gpipe", 0, 64, ""};
  EXPECT_EQ(diagnosis_report(d).text().find("gpipe"), std::string::npos);
}

TEST(DiagnosisText, nothing_wrong_is_said) {
  EXPECT_NE(diagnosis_report({.typical = {.measured_s = 1}}).text().find("Nothing is slower"),
            std::string::npos);
}

TEST(DiagnosisText, nodes_are_named_where_they_are_known) {
  Diagnosis d = sick();
  d.nodes = {{0, 1}, {2, 3}, {4, 5}};
  const auto told = [&](std::vector<int> devices) {
    d.causes[0].devices = std::move(devices);
    return diagnosis_report(d).text();
  };
  EXPECT_NE(told({2, 3}).find("stage 3: node 1 (ranks 2-3)"), std::string::npos) << told({2, 3});
  EXPECT_NE(told({0, 1, 4, 5}).find("stage 3: nodes 0, 2 (ranks 0-1, 4-5)"), std::string::npos)
      << told({0, 1, 4, 5});
  EXPECT_NE(told({3}).find("stage 3 (rank 3 of node 1)"), std::string::npos) << told({3});
  d.nodes.clear();
  EXPECT_NE(told({3}).find("stage 3 (device 3)"), std::string::npos) << told({3});
}

}  // namespace
}  // namespace pipewright::test
