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
  runs[0].settings = {"2", "true", "10 us", "{name: zb-h1}"};
  runs[0].json = R"({"mfu": 0.5})";
  runs[1].settings = {"", "", "", ""};
  std::ostringstream out;
  write_sweep_json({{"parallel.tensor", "overlap.data", "latency", "pipe"}, {}, test::over(runs)},
                   out);
  EXPECT_EQ(Json::parse(out.str()), Json::parse(R"({
    "schema": "pipewright.results/1",
    "results": [
      {"settings": {"parallel.tensor": 2, "overlap.data": true, "latency": "10 us",
                    "pipe": "{name: zb-h1}"}, "schedule": "1f1b", "mfu": 0.5,
       "best_probability": 0},
      {"settings": {}, "schedule": "chimera", "reason": "odd"}]})"));
}

TEST(SweepJson, a_run_is_a_line_whose_texts_are_as_they_were) {
  std::vector<SweepRun> runs = {test::sweep_run(6, 1)};
  runs[0].settings = {"2"};
  runs[0].json = "{\n  \"experiment\": \"a  \\\"b\\\" \\\\\",\n  \"mfu\": [0.5, 1e+06]\n}\n";
  std::ostringstream out;
  write_sweep_json({{"parallel.tensor"}, {}, test::over(runs)}, out);
  EXPECT_NE(out.str().find(R"(,"experiment":"a  \"b\" \\","mfu":[0.5,1e+06],"best_probability":)"),
            std::string::npos)
      << out.str();
}

}  // namespace
}  // namespace pipewright
