#include "report/page/timeline.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/json/result.hpp"
#include "support/tiny_run.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::json;

// Eight ops take time: two forwards, two backwards, two steps, two transfers.
TEST(HtmlTimeline, every_op_that_takes_time_is_a_span_of_a_lane) {
  const Json timeline = Json::parse(timeline_json(test::tiny_run()));
  int64_t spans = 0;
  for (const Json& lane : timeline.at("lanes")) spans += lane.at("count").get<int64_t>();
  EXPECT_EQ(spans, 8);
  EXPECT_EQ(timeline.at("lanes").at(0).at("name"), Json("compute"));
  EXPECT_EQ(timeline.at("shown"), Json(2));
  EXPECT_EQ(timeline.at("ranks"), Json::parse(R"(["rank 0", "rank 1"])"));
}

TEST(HtmlTimeline, what_is_drawn_besides_stands_in_it) {
  const Drawn drawn{.kernels = {}, .cluster = {.nodes = {0, 0}, .rails = {-1, -1}, .pods = {0}}};
  EXPECT_TRUE(Json::parse(timeline_json(test::tiny_run(), drawn)).contains("cluster"));
  EXPECT_FALSE(Json::parse(timeline_json(test::tiny_run())).contains("cluster"));
}

// The page's graph has all of them, where the JSON output has ten.
TEST(HtmlTimeline, every_link_that_is_known_stands_in_it) {
  auto run = test::tiny_run();
  for (int i = 0; i < 12; ++i)
    run.result.links.push_back({"device " + std::to_string(i) + " > leaf 0", 1e6, 0.5});
  const Json timeline = Json::parse(timeline_json(run));
  ASSERT_EQ(timeline.at("links").size(), 12u);
  EXPECT_EQ(timeline.at("links").at(11), Json::parse(R"({"name": "device 11 > leaf 0",
                                                      "bytes": 1e6, "busy_fraction": 0.5})"));
  EXPECT_EQ(Json::parse(json_text(run.result)).at("links").size(), 10u);
}

// 65 us and 2 ps are below 2^31 ps, so a tick is a picosecond.
TEST(HtmlTimeline, short_runs_are_exact_to_the_picosecond) {
  const Json timeline = Json::parse(timeline_json(test::tiny_run()));
  EXPECT_DOUBLE_EQ(timeline.at("tick_s").get<double>(), 1e-12);
  EXPECT_EQ(timeline.at("last"), Json(65'000'002));
}

// A day is 8.64e16 ps, 2^31 - 1 ticks of at most 40232332 ps.
TEST(HtmlTimeline, a_day_fits_into_31_bits) {
  auto run = test::tiny_run();
  run.timeline.spans.back().end = seconds(86400.0);
  const Json timeline = Json::parse(timeline_json(run));
  EXPECT_LE(timeline.at("last").get<int64_t>(), INT32_MAX);
  EXPECT_NEAR(timeline.at("last").get<double>() * timeline.at("tick_s").get<double>(), 86400, 1e-3);
}

}  // namespace
}  // namespace pipewright
