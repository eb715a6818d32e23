#include "convert/deepspeed/documents.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::deepspeed {
namespace {

struct Given {
  job::Source source;
  job::Import import;
  Documents documents;

  Given(const std::string& config, const std::string& arguments)
      : documents(inputs(config, arguments), source, import) {}

  static Inputs inputs(const std::string& config, const std::string& arguments) {
    Inputs inputs;
    inputs.config = config::parse(config, "ds.json");
    inputs.launch.arguments = read_arguments(
        job::launches(shell::follow("a.py " + arguments, "run.sh", {})).at(0).arguments);
    return inputs;
  }
};

TEST(DeepSpeedDocuments, auto_leaves_a_key_to_the_program) {
  Given given(R"({"a": "auto", "b": 3})", "--x 5 --flag --not False");
  EXPECT_FALSE(given.documents.key("a"));
  EXPECT_EQ(given.documents.number("a", {"y", "x"}), 5);
  EXPECT_EQ(given.documents.number("b", {"x"}), 3);
  EXPECT_FALSE(given.documents.number("c", {"y"}));
  EXPECT_TRUE(given.documents.flag({"flag"}));
  EXPECT_FALSE(given.documents.flag({"not"}));
}

TEST(DeepSpeedDocuments, what_nobody_says_under_auto_is_assumed) {
  Given given(R"({"bf16": {"enabled": "auto"}, "fp16": {"enabled": true}})", "--x 1");
  EXPECT_FALSE(given.documents.enabled("bf16.enabled", {"bf16"}));
  EXPECT_EQ(given.import.assumed.size(), 1U);
  EXPECT_TRUE(given.documents.enabled("fp16.enabled", {"fp16"}));
  EXPECT_FALSE(given.documents.enabled("amp.enabled", {"x"}));
}

TEST(DeepSpeedDocuments, a_value_that_a_script_does_not_say_is_asked_for) {
  Given given("{}", "--x $X");
  EXPECT_NE(test::error_of([&] { given.documents.number("a", {"x"}); }).find("--define X=VALUE"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::deepspeed
