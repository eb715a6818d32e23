#include "report/json/diagnosis.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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
  d.typical.slowdown = 1.9 / 1.5;
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

TEST(DiagnosisJson, it_has_the_keys_of_the_schema) {
  const auto j = nlohmann::json::parse(json_text(sick()));
  EXPECT_EQ(j["schema"], "pipewright.diagnosis/1");
  EXPECT_EQ(j["steps"], 1);
  EXPECT_EQ(j["measured_s"], 2);
  EXPECT_EQ(j["parallel"]["pipeline"], 4);
  EXPECT_EQ(j["causes"][0]["cause"], "stage");
  EXPECT_EQ(j["causes"][0]["recovered_s"], 0.4);
  EXPECT_EQ(j["causes"][0]["share"], 1);
  EXPECT_EQ(j["schedule_detail"]["nearest_distance"], 1);
  EXPECT_EQ(j["step_times"][0]["step"], 7);
}

TEST(DiagnosisJson, a_cause_without_a_share_has_no_such_key) {
  Diagnosis d = sick();
  d.causes[0].share.reset();
  EXPECT_FALSE(nlohmann::json::parse(json_text(d))["causes"][0].contains("share"));
}

}  // namespace
}  // namespace pipewright::test
