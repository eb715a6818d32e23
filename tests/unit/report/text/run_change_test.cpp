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

}  // namespace
}  // namespace pipewright
