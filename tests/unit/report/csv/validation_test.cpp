#include "report/csv/validation.hpp"

#include <gtest/gtest.h>

#include "support/validation_runs.hpp"

namespace pipewright {
namespace {

TEST(ValidationCsv, what_cannot_be_predicted_is_a_row_with_its_reason) {
  EXPECT_NE(csv_text(test::two_validation_runs()).find("a,g,,1,,,,,,,,,\"why, \"\"not\"\"\"\n"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright
