#include "report/page/run.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "config/value.hpp"
#include "support/tiny_run.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::json;

std::string page_of(const pipewright::Run& run, const config::Value& given = {}) {
  std::ostringstream out;
  write_html(run, {}, given, out);
  return out.str();
}
std::string page_of(std::span<const Row> rows) {
  std::ostringstream out;
  write_html(rows, std::vector<Drawn>(rows.size()), out);
  return out.str();
}

/// What stands between the data's <script> and the next </script>, as a browser reads it.
Json data_of(const std::string& page) {
  const std::string begin = "id=\"data\">";
  const size_t from = page.find(begin) + begin.size();
  return Json::parse(page.substr(from, page.find("</script", from) - from));
}

TEST(Html, the_page_holds_what_the_json_output_says) {
  const pipewright::Run run = test::tiny_run();
  const Json data = data_of(page_of(run));
  EXPECT_EQ(data.at("kind"), Json("run"));
  EXPECT_EQ(data.at("title"), Json("1f1b"));
  EXPECT_DOUBLE_EQ(data.at("results").at("bubble_fraction").get<double>(),
                   run.result.metrics.bubble_fraction());
  EXPECT_EQ(data.at("timelines").size(), 1u);
}

TEST(Html, what_was_not_given_is_told_as_assumed) {
  auto run = test::tiny_run();
  run.result.experiment = config::parse(
      "{schedule: 1f1b, framework: megatron, network: latency, precision: bf16}", "x");
  const Json assumed =
      data_of(page_of(run, config::parse("{schedule: 1f1b, precision: bf16}", "given")))
          .at("assumed");
  ASSERT_EQ(assumed.size(), 2u);
  EXPECT_EQ(assumed.at(0),
            Json::parse(R"({"key": "framework", "value": "megatron", "matters": true})"));
  EXPECT_EQ(assumed.at(1).at("key"), Json("network"));
  EXPECT_FALSE(data_of(page_of(run)).contains("assumed"));
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
  const Json data = data_of(page_of(rows));
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
