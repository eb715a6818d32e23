#include "convert/job/configured.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

constexpr std::string_view starting[] = {"pretrain"};

config::Value configured_by(const std::string& text, std::map<std::string, std::string> given = {},
                            job::Import* notes = nullptr) {
  const job::Source source{.text = text,
                           .file = "run.py",
                           .given = std::move(given),
                           .partial = false,
                           .read = [](const std::string& path) -> std::optional<std::string> {
                             if (path == "src/own/here.py") return "N = 3\n";
                             return std::nullopt;
                           }};
  job::Import import;
  const job::Making making{.framework = "Own",
                           .starts = starting,
                           .argument = "config",
                           .below = "src/",
                           .packaged = [](std::string_view path) -> std::optional<std::string> {
                             if (path == "own/known.py")
                               return "def base():\n    return T.Config(a=1)\n";
                             return std::nullopt;
                           },
                           .release = "today"};
  return job::configured(source, making, notes ? *notes : import);
}

// What is changed after it trains is of no use.
TEST(Configured, it_is_what_the_program_trains_by) {
  job::Import notes;
  const config::Value made = configured_by(
      "from own.known import base\nfrom own.here import N\nfrom own import pretrain\ndef main():\n"
      "    cfg = base()\n    cfg.b.c = N\n    apply_overrides(cfg, x)\n    pretrain(step, "
      "config=cfg)\nif __name__ == \"__main__\":\n    main()\n",
      {}, &notes);
  EXPECT_EQ(at(made, {"a"}), "1");
  EXPECT_EQ(at(made, {"b", "c"}), "3");
  EXPECT_EQ(notes.assumed,
            std::vector<std::string>{"own/known.py is not here: it is taken as of today"});
}

TEST(Configured, it_is_taken_as_it_is_where_it_trains) {
  EXPECT_EQ(at(configured_by("c = T.Config(a=1, b=B(x=1))\npretrain(c)\nc.a = 2\nc.b.x = 2\n"),
               {"b", "x"}),
            "1");
  EXPECT_EQ(at(configured_by("c = T.Config(a=1)\npretrain(c)\nc.a = 2\npretrain(c)\n"), {"a"}),
            "1");
}

TEST(Configured, one_of_several_is_not_taken_without_a_word) {
  EXPECT_EQ(
      error_of([] { configured_by("pretrain(T.Config(a=1))\npretrain(T.Config(a=2))\n"); }),
      "run.py:2:1: error: this program trains twice: by what it hands over in line 1 too, which "
      "is another configuration");
  EXPECT_EQ(error_of([] {
              configured_by(
                  "if flag:\n    pretrain(T.Config(a=1))\nelse:\n    "
                  "pretrain(T.Config(a=2))\n");
            }),
            "run.py:4:5: error: this program trains here or in line 2, by flag: --define "
            "flag=VALUE says it");
  job::Import notes;
  EXPECT_EQ(at(configured_by("if flag:\n    pretrain(T.Config(a=1))\n", {}, &notes), {"a"}), "1");
  EXPECT_EQ(notes.assumed,
            std::vector<std::string>{
                "the program is taken to train in line 2, which is so or not by flag"});
}

TEST(Configured, or_what_a_function_gives) {
  const std::string two =
      "def a():\n    return T.Config(x=1)\ndef b():\n    return T.Config(x=2)\n";
  EXPECT_EQ(at(configured_by(two, {{"CONFIG", "b"}}), {"x"}), "2");
  EXPECT_EQ(error_of([&] { configured_by(two); }),
            "run.py:1:1: error: which configuration? --define CONFIG=NAME says it: a, b");
  EXPECT_EQ(
      error_of([&] { configured_by("a = 1\n"); }),
      "run.py:1:1: error: this program makes no configuration, and has no function that does");
}

// The user calls the function.
TEST(Configured, parameters_are_what_is_defined) {
  const std::string text = "def a(nodes: int = 1):\n    return T.Config(x=nodes * 8)\n";
  EXPECT_EQ(at(configured_by(text, {{"nodes", "4"}}), {"x"}), "32");
  EXPECT_EQ(error_of([&] {
              configured_by(text, {{"node", "4"}});
            }),
            "error: --define node=4: run.py takes nothing of that name from outside");
}

}  // namespace
}  // namespace pipewright::test
