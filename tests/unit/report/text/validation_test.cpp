#include "report/text/validation.hpp"

#include <gtest/gtest.h>

#include "support/validation_runs.hpp"

namespace pipewright {
namespace {

TEST(ValidationText, ends_with_why_some_were_not_predicted) {
  const std::string text = validation_report(test::two_validation_runs()).text();
  EXPECT_TRUE(text.ends_with("\nNot predicted:\n  1 run: why, \"not\"\n"));
}

}  // namespace
}  // namespace pipewright
