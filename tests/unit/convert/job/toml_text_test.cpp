#include "convert/job/toml_text.hpp"

#include <gtest/gtest.h>

#include "convert/job/settings.hpp"
#include "convert/job/toml.hpp"

namespace pipewright::test {
namespace {

TEST(TomlText, reading_gives_back_what_was_written) {
  const std::string text =
      "top = 1\n\n[a]\nname = \"q\\\"x\"\nlist = [\"m\", \"n\"]\ntrue_one = true\nlr = 0.0003\n"
      "\n[a.b]\ncount = \"2\"\n";
  const config::Value read = job::read_toml(text, "x.toml");
  EXPECT_EQ(job::to_toml(read), text);
}

TEST(TomlText, a_word_without_quotes_is_a_text) {
  EXPECT_EQ(job::to_toml(config::parse("{a: {b: c4, c: 8e-4, d: null}}", "x.yaml")),
            "[a]\nb = \"c4\"\nc = 8e-4\n");
}

}  // namespace
}  // namespace pipewright::test
