#include "report/json/result.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/golden.hpp"
#include "support/tiny_run.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::json;

TEST(ResultJson, has_exactly_the_keys_of_the_schema) {
  const nlohmann::ordered_json j =
      nlohmann::ordered_json::parse(json_text(test::tiny_run().result));
  std::vector<std::string> keys;
  for (const auto& [key, value] : j.items()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"schema",
                                            "experiment",
                                            "iteration_time_s",
                                            "makespan_s",
                                            "samples_per_s",
                                            "tokens_per_s",
                                            "model_flops_per_s_per_device",
                                            "mfu",
                                            "hfu",
                                            "idle_fraction",
                                            "bubble_fraction",
                                            "breakdown",
                                            "max_span_s",
                                            "feasible",
                                            "uncertainty",
                                            "critical_path",
                                            "bounds",
                                            "links",
                                            "time_to_train_s",
                                            "time_to_train_cost_usd",
                                            "communication",
                                            "energy_j",
                                            "cost_usd",
                                            "energy_j_per_token",
                                            "cost_usd_per_token",
                                            "ranks",
                                            "layers",
                                            "kernels",
                                            "simulation"}));
}

// What a sweep ranks by, time to train and this key are one number.
TEST(ResultJson, the_goodput_is_that_of_drawn_histories_where_there_are_some) {
  RunResult result = test::tiny_run().result;
  result.goodput = {.fraction = 0.96, .best_interval_s = 50, .events = {}};
  EXPECT_EQ(Json::parse(json_text(result)).at("goodput_fraction"), 0.96);
  result.goodput->events = GoodputEvents{.fraction = 0.72};
  const Json j = Json::parse(json_text(result));
  EXPECT_EQ(j.at("goodput_fraction"), 0.72);
  EXPECT_EQ(j.at("goodput_formula_fraction"), 0.96);
  EXPECT_EQ(j.at("goodput_events").at("fraction"), 0.72);
}

// 65 us and 2 ps: the nearest double is what the decimal number reads as, not a sum of roundings.
TEST(ResultJson, times_are_seconds_to_the_picosecond) {
  const Json j = Json::parse(json_text(test::tiny_run().result));
  EXPECT_EQ(j.at("makespan_s").get<double>(), 65.000002e-6);
  EXPECT_NE(json_text(test::tiny_run().result).find("6.5000002e-05"), std::string::npos);
  EXPECT_EQ(j.at("ranks").at(1).at("exposed_communication_s").get<double>(), 2.000001e-6);
  EXPECT_EQ(j.at("critical_path").at("pipeline_s").get<double>(), 4.000002e-6);
}

TEST(ResultJson, bytes_are_whole_numbers) {
  const Json j = Json::parse(json_text(test::tiny_run().result));
  EXPECT_EQ(j.at("ranks").at(0).at("peak_memory_bytes"), Json(1100));
  EXPECT_TRUE(j.at("communication").at("pipeline").at("bytes").is_number_integer());
  EXPECT_EQ(j.at("communication").at("pipeline").at("bytes"), Json(96));
}

TEST(ResultJson, what_the_model_cannot_have_is_null) {
  const Json j = Json::parse(json_text(test::tiny_run().result));
  for (const char* key : {"tokens_per_s", "mfu", "energy_j", "uncertainty", "time_to_train_s"})
    EXPECT_TRUE(j.at(key).is_null()) << key;
  RunResult result;  // took no time at all
  EXPECT_TRUE(Json::parse(json_text(result)).at("simulation").at("events_per_s").is_null());
}

TEST(ResultJson, uncertainty_is_told_where_there_is_one) {
  RunResult result;
  const Regime regime{"megatron", "h100-sxm", "bf16", 1, 0.1};
  result.ranges.uncertainty = {microseconds(9), microseconds(11), regime, "of 7 runs", 3};
  Json told = Json::parse(json_text(result)).at("uncertainty");
  EXPECT_TRUE(told.at("basis").get<std::string>().starts_with(
      "of 7 runs; half of them were predicted within "));
  told.erase("basis");
  EXPECT_EQ(told, Json::parse(R"({"p10_s": 9e-6, "p90_s": 11e-6,
                                  "regime": "megatron on h100-sxm, bf16, 1 node, measured kernels",
                                  "extrapolated_ops": 3})"));
}

TEST(ResultJson, flows_stand_as_they_were_given) {
  RunResult result;
  result.traffic.flows = {{3, 1, Bytes{4096}, microseconds(2), microseconds(7)},
                          {0, 0, Bytes{1}, Time{}, Time{}}};
  EXPECT_EQ(Json::parse(json_text(result)).at("flows"),
            Json::parse(R"([{"from": 3, "to": 1, "bytes": 4096, "start_s": 2e-6, "end_s": 7e-6},
                            {"from": 0, "to": 0, "bytes": 1, "start_s": 0.0, "end_s": 0.0}])"));
}

TEST(ResultJson, flows_of_packets_say_what_was_lost) {
  RunResult result;
  result.traffic.flows = {{3, 1, Bytes{4096}, Time{}, microseconds(5)}};
  result.traffic.packets = {
      {.end = microseconds(5), .packets = 4, .dropped = 3, .repeated = 2, .timeouts = 1}};
  EXPECT_EQ(Json::parse(json_text(result)).at("flows"),
            Json::parse(R"([{"from": 3, "to": 1, "bytes": 4096, "start_s": 0.0, "end_s": 5e-6,
                             "packets": 4, "dropped_packets": 3, "repeated_packets": 2,
                             "timeouts": 1}])"));
}

// 0.1 + 0.2 needs 17 digits.
TEST(ResultJson, doubles_read_back_as_they_were) {
  RunResult result;
  result.rates.samples_per_s = 0.1 + 0.2;
  result.rates.mfu = std::nextafter(1.0, 0);
  const Json j = Json::parse(json_text(result));
  EXPECT_EQ(j.at("samples_per_s").get<double>(), 0.1 + 0.2);
  EXPECT_EQ(j.at("mfu").get<double>(), std::nextafter(1.0, 0));
}

TEST(ResultJson, only_the_simulation_object_may_differ_between_equal_runs) {
  const auto a = test::tiny_run();
  auto b = a;
  b.result.cost.wall_s = 1;
  const std::string x = json_text(a.result), y = json_text(b.result);
  EXPECT_EQ(x.substr(0, x.find("\"simulation\"")), y.substr(0, y.find("\"simulation\"")));
  EXPECT_NE(x, y);
}

TEST(ResultJson, the_experiment_reads_back_as_yaml) {
  const config::Value again = config::parse(
      Json::parse(json_text(test::tiny_run().result)).at("experiment").dump(), "again.yaml");
  const config::Value* synthetic = again.find("model")->find("synthetic");
  EXPECT_EQ(config::as_time(*synthetic->find("forward")), microseconds(10));
  EXPECT_EQ(config::as_time(*synthetic->find("backward")), microseconds(20));
  EXPECT_EQ(config::as_int(*synthetic->find("devices"), 1, 9), 2);
}

TEST(ResultJson, text_that_is_not_utf8_does_not_stop_it) {
  RunResult result;
  result.experiment = config::scalar("a\xff");
  EXPECT_EQ(Json::parse(json_text(result)).at("experiment"), Json("a\xef\xbf\xbd"));
}

TEST(ResultsJson, a_row_that_could_not_run_says_why) {
  const std::vector<Row> rows = {{"1f1b", test::tiny_run(), ""},
                                 {"chimera", {}, "p must be \"even\""}};
  const Json j = Json::parse(json_text(rows));
  EXPECT_EQ(j.at("schema"), Json("pipewright.results/1"));
  EXPECT_EQ(j.at("results").at(1),
            Json::parse(R"({"schedule": "chimera", "reason": "p must be \"even\""})"));
  Json row = j.at("results").at(0);
  EXPECT_EQ(row.at("schedule"), Json("1f1b"));
  EXPECT_EQ(row.at("best_probability"), Json(1.0)) << "no other row ran";
  EXPECT_EQ(row.at("rank"), Json(1));
  for (const char* of_several : {"schedule", "best_probability", "rank"}) row.erase(of_several);
  EXPECT_EQ(row, Json::parse(json_text(test::tiny_run().result)));
}

TEST(ResultJson, format) { test::expect_golden("result.json", json_text(test::tiny_run().result)); }

}  // namespace
}  // namespace pipewright
