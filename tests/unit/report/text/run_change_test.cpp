#include "report/text/run_change.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(RunChangeText, is_a_table_with_signs) {
  RunChange change{.source = "yesterday.csv",
                   .measured = {"measured", 2, 3},
                   .simulated = {"simulated", 2, 3},
                   .ideal = {"ideal", 2, 2}};
  change.parts = {{"bubble", 0.5, 0.25}};
  change.causes = {{CauseKind::stage, {"stage 2", 0, 1}}};
  change.kernels = {{std::string(100, 'k'), 0, 1}};
  change.notes = {"data was 2, is 4"};
  const std::string text = change_text(change);
  EXPECT_NE(text.find("before   after   change"), std::string::npos) << text;
  EXPECT_NE(text.find("+1 s"), std::string::npos) << text;
  EXPECT_NE(text.find("-250 ms"), std::string::npos) << text;
  EXPECT_NE(text.find("stage: stage 2"), std::string::npos) << text;
  EXPECT_NE(text.find("kkk..."), std::string::npos) << text;
  EXPECT_NE(text.find("note: data was 2, is 4\n"), std::string::npos) << text;
}

// Sums of times are rounded far below the clock's picosecond.
TEST(RunChangeText, less_than_the_clocks_step_is_no_change) {
  RunChange change{.measured = {"measured", 2, 3}};
  change.causes = {{CauseKind::communication, {"data", 9e-4, 9e-4 - 1e-17}}};
  const std::string text = change_text(change);
  EXPECT_NE(text.find("+0 s"), std::string::npos) << text;
  EXPECT_EQ(text.find(" ps"), std::string::npos) << text;
}

std::string sentence(const RunChange& change) {
  const std::string text = change_text(change);
  return text.substr(1, text.find("against") - 1);
}

TEST(RunChangeText, begins_with_what_explains_most) {
  RunChange change{.measured = {"measured", 2, 3}, .ideal = {"ideal", 2, 2.8}};
  EXPECT_EQ(sentence(change),
            "Steps take 1 s more, 50.0 %. The work itself (the ideal) takes 800 ms more.\n");
  change.causes = {{CauseKind::bubble, {"1f1b", 0, 1}}, {CauseKind::stage, {"stage 2", 0, 0.9}}};
  EXPECT_EQ(sentence(change),
            "Steps take 1 s more, 50.0 %. 'stage 2' (stage) costs 900 ms more.\n");
  change.causes[1].recovered.after_s = 0.4;
  change.ideal.after_s = 2;
  EXPECT_EQ(sentence(change), "Steps take 1 s more, 50.0 %. No single cause has half of it.\n");
  change.measured.after_s = 2.001;
  EXPECT_EQ(sentence(change), "Steps take as long as before.\n");
}

TEST(RunChangeText, a_cause_that_went_is_named_too) {
  RunChange change{.measured = {"measured", 3, 2}, .ideal = {"ideal", 2, 2}};
  change.causes = {{CauseKind::stage, {"stage 2", 0.9, 0}}};
  EXPECT_EQ(sentence(change),
            "Steps take 1 s less, 33.3 %. 'stage 2' (stage) costs 900 ms less.\n");
}

}  // namespace
}  // namespace pipewright
