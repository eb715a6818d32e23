#include "report/json/validation.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/validation_runs.hpp"

namespace pipewright {
namespace {

TEST(ValidationJson, what_cannot_be_predicted_is_a_row_with_its_reason) {
  const auto j = nlohmann::json::parse(json_text(test::two_validation_runs()));
  EXPECT_EQ(j["schema"], "pipewright.validation/1");
  EXPECT_TRUE(j["runs"][0]["predicted"].is_null());
  EXPECT_EQ(j["runs"][0]["reason"], "why, \"not\"");
  EXPECT_EQ(j["runs"][1]["error"]["iteration_time_s"], 1);
  EXPECT_FALSE(j["runs"][1]["error"].contains("peak_memory_bytes")) << "it was not measured";
  EXPECT_EQ(j["groups"]["g"]["runs"], 2);
}

}  // namespace
}  // namespace pipewright
