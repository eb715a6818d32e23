#include "convert/job/settings.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

using job::Effect;

struct GivenSettings {
  job::Source source{.text = {}, .file = "s.yaml", .given = {}, .partial = false, .read = {}};
  job::Import import;
  job::Settings settings;
  explicit GivenSettings(const std::string& text)
      : settings(config::parse(text, "s.yaml"), source, import) {}
};

constexpr job::Key keys[] = {{"a.log_*", Effect::nothing, "logs"},
                             {"a.fast", Effect::slight, "it is faster"},
                             {"a.graph", Effect::refused, "graphs are not modelled", "false|none"}};

TEST(JobSettings, keys_may_have_had_several_names) {
  GivenSettings given("{a: {old: 1_024}}");
  EXPECT_EQ(given.settings.integer({"a.new", "a.old"}, 7), 1024);
  EXPECT_EQ(given.settings.integer({"a.none"}, 7), 7);
}

TEST(JobSettings, what_nobody_asked_for_is_looked_up) {
  GivenSettings given("{a: {log_level: 2, fast: true, graph: none}}");
  given.settings.review(keys, "it");
  EXPECT_EQ(given.import.unused.size(), 2u);
  EXPECT_EQ(given.import.slight, std::vector<std::string>{"a.fast: true: it is faster"});
  EXPECT_NE(error_of([] {
              GivenSettings("{a: {graph: all}}").settings.review(keys, "it");
            }).find("s.yaml:1:13: error: a.graph: all cannot be said: graphs are not modelled"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              GivenSettings("{b: 1}").settings.review(keys, "it");
            }).find("'b' is no key of it that is known"),
            std::string::npos);
}

TEST(JobSettings, an_empty_text_says_nothing) {
  GivenSettings given("{a: {graph: ''}}");
  given.settings.review(keys, "it");
  EXPECT_EQ(given.import.refused.size(), 0u);
}

}  // namespace
}  // namespace pipewright::test
