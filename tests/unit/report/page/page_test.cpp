#include "report/page/page.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "report/page/columns.hpp"
#include "report/page/timeline.hpp"
#include "support/tiny_run.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::json;

template <class Report>
std::string page_of(const Report& report) {
  std::ostringstream out;
  write_html(report, out);
  return out.str();
}

/// What stands between the data's <script> and the next </script>, as a browser reads it.
Json data_of(const std::string& page) {
  const std::string begin = "id=\"data\">";
  const size_t from = page.find(begin) + begin.size();
  return Json::parse(page.substr(from, page.find("</script", from) - from));
}

// RFC 4648, section 10.
TEST(HtmlColumns, base64_is_that_of_the_standard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

// 1 is byte 01; 256 is 00 01; -1 is ff four times.
TEST(HtmlColumns, numbers_take_the_fewest_bytes_that_hold_them_all) {
  EXPECT_EQ(column_json(std::vector<int32_t>{}), R"(["u1",""])");
  EXPECT_EQ(column_json(std::vector<int32_t>{1}), R"(["u1","AQ=="])");
  EXPECT_EQ(column_json(std::vector<int32_t>{256}), R"(["u2","AAE="])");
  EXPECT_EQ(column_json(std::vector<int32_t>{-1}), R"(["i4","/////w=="])");
}

std::string bytes_of(std::string_view base64) {
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : base64.substr(0, base64.find('='))) {
    const std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    bits = bits << 6 | static_cast<uint32_t>(digits.find(c));
    if ((count += 6) >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 0xff);
  }
  return bytes;
}

// Start times of 400 spans that each last 3, then one a long time before.
TEST(HtmlColumns, many_numbers_are_deflated_planes_of_their_differences) {
  std::vector<int32_t> values;
  for (int i = 0; i < 400; ++i) values.push_back(7 + 3 * i);
  values.push_back(-2'000'000'000);
  const Json column = Json::parse(column_json(values));
  ASSERT_EQ(column.at(0), Json("d4"));
  const std::string packed = bytes_of(column.at(1).get<std::string>());
  EXPECT_LT(packed.size(), 100u);

  std::vector<unsigned char> planes(4 * values.size());
  uLongf size = planes.size();
  ASSERT_EQ(uncompress(planes.data(), &size, reinterpret_cast<const Bytef*>(packed.data()),
                       packed.size()),
            Z_OK);
  ASSERT_EQ(size, planes.size());
  uint32_t value = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t byte = 0; byte < 4; ++byte)
      value += static_cast<uint32_t>(planes[byte * values.size() + i]) << (8 * byte);
    EXPECT_EQ(static_cast<int32_t>(value), values[i]) << i;
  }
}

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

// The page's graph has all of them, where the JSON output has ten.
TEST(HtmlTimeline, every_link_that_is_known_stands_in_it) {
  auto run = test::tiny_run();
  for (int i = 0; i < 12; ++i)
    run.result.links.push_back({"device " + std::to_string(i) + " > leaf 0", 1e6, 0.5});
  const Json timeline = Json::parse(timeline_json(run));
  ASSERT_EQ(timeline.at("links").size(), 12u);
  EXPECT_EQ(timeline.at("links").at(11), Json::parse(R"({"name": "device 11 > leaf 0",
                                                      "bytes": 1e6, "busy_fraction": 0.5})"));
  EXPECT_EQ(data_of(page_of(run)).at("results").at("links").size(), 10u);
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

TEST(Html, the_page_holds_what_the_json_output_says) {
  const Json data = data_of(page_of(test::tiny_run()));
  EXPECT_EQ(data.at("kind"), Json("run"));
  EXPECT_EQ(data.at("title"), Json("1f1b"));
  EXPECT_DOUBLE_EQ(data.at("results").at("bubble_fraction").get<double>(), 0.5);
  EXPECT_EQ(data.at("timelines").size(), 1u);
}

TEST(Html, a_name_cannot_end_the_script_it_stands_in) {
  auto run = test::tiny_run();
  const std::string name = "</script><script>alert(1)</script><!--";
  run.result.schedule = name;
  const std::string page = page_of(run);
  EXPECT_EQ(page.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(data_of(page).at("title"), Json(name));
  EXPECT_NE(page.find("&lt;/script>&lt;script>alert(1)"), std::string::npos) << "the <title>";
}

TEST(Html, a_name_that_is_no_utf8_gets_replacement_characters) {
  auto run = test::tiny_run();
  run.result.schedule = "a\xff";
  EXPECT_EQ(data_of(page_of(run)).at("title"), Json("a\xef\xbf\xbd"));
}

TEST(Html, a_schedule_that_cannot_run_has_a_row_and_no_timeline) {
  std::vector<Row> rows;
  rows.push_back({.schedule = "1f1b", .run = test::tiny_run()});
  rows.push_back({.schedule = "chimera", .run = {}, .reason = "needs an even number of ranks"});
  const Json data = data_of(page_of<std::span<const Row>>(rows));
  EXPECT_TRUE(data.at("timelines").at(1).is_null());
  EXPECT_EQ(data.at("results").at("results").at(1).at("reason"),
            Json("needs an even number of ranks"));
  EXPECT_TRUE(data.at("advice").get<std::string>().starts_with("Take 1f1b"));
}

TEST(Html, the_same_run_gives_the_same_bytes) {
  EXPECT_EQ(page_of(test::tiny_run()), page_of(test::tiny_run()));
}

TEST(Html, the_page_loads_nothing_from_elsewhere) {
  const std::string page = page_of(test::tiny_run());
  for (const char* loads : {"<link", "<script src", "@import", "url(http"})
    EXPECT_EQ(page.find(loads), std::string::npos) << loads;
}

}  // namespace
}  // namespace pipewright
