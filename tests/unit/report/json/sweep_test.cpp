#include "report/json/sweep.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "support/sweep_runs.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::json;

TEST(SweepJson, a_run_has_its_settings_and_its_result_or_why_there_is_none) {
  std::vector<SweepRun> runs = {test::sweep_run(6, 1), {.schedule = "chimera", .reason = "odd"}};
  runs[0].settings = {"2"};
  runs[0].json = R"({"mfu": 0.5})";
  runs[1].settings = {""};
  std::ostringstream out;
  write_sweep_json({{"parallel.tensor"}, {}, test::over(runs)}, out);
  EXPECT_EQ(Json::parse(out.str()), Json::parse(R"({
    "schema": "pipewright.results/1",
    "results": [
      {"settings": {"parallel.tensor": "2"}, "schedule": "1f1b", "mfu": 0.5,
       "best_probability": 0},
      {"settings": {}, "schedule": "chimera", "reason": "odd"}]})"));
}

}  // namespace
}  // namespace pipewright
