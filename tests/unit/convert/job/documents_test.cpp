#include "convert/job/documents.hpp"

#include <gtest/gtest.h>

#include "config/emit.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

job::Source source_with(std::vector<job::Further> further,
                        std::map<std::string, std::string> given = {}) {
  return {.text = {},
          .file = "job/exp.yaml",
          .given = std::move(given),
          .partial = false,
          .read = [](const std::string& path) -> std::optional<std::string> {
            if (path == "presets/base.yaml") return "a: beside";
            return std::nullopt;
          },
          .further = std::move(further)};
}

TEST(Documents, a_file_is_given_or_lies_beside_the_one_that_names_it) {
  const config::Value name = config::parse("base.yaml", "presets/top.yaml");
  EXPECT_EQ(job::find_document(source_with({}), name.text, name.mark)->find("a")->text, "beside");
  const job::Source given = source_with({{"any/base.yaml", "a: given"}});
  EXPECT_EQ(job::find_document(given, name.text, name.mark)->find("a")->text, "given");
  EXPECT_FALSE(job::find_document(given, "other.yaml", name.mark));
}

// Hydra's basic grammar: KEY=VALUE, +KEY=VALUE, ++KEY=VALUE, ~KEY.
TEST(Documents, words_change_a_document) {
  config::Value root = config::parse("a: {b: 1, c: 2}", "x.yaml");
  job::apply_words(source_with({{"a.b=3"}, {"+d.e=[1,2]"}, {"++f=x"}, {"~a.c"}, {"~none.a"}}),
                   root);
  EXPECT_EQ(root.find("a")->find("b")->text, "3");
  EXPECT_FALSE(root.find("a")->find("c"));
  EXPECT_EQ(root.find("d")->find("e")->items.size(), 2U);
  EXPECT_EQ(root.find("f")->text, "x");
  EXPECT_EQ(error_of([&] { job::apply_words(source_with({{"none.yaml"}}), root); }),
            "error: 'none.yaml' is no file, and no KEY=VALUE");
}

TEST(Documents, variables_are_defined_or_have_a_default) {
  config::Value value = config::parse("a: '${A}-${B:b}'", "x.yaml");
  job::resolve_variables(source_with({}, {{"A", "1"}}), value);
  EXPECT_EQ(value.find("a")->text, "1-b");
  value = config::parse("a: ${A}", "x.yaml");
  EXPECT_EQ(error_of([&] { job::resolve_variables(source_with({}), value); }),
            "x.yaml:1:4: error: ${A} is taken from outside: give it by --define A=VALUE");
}

TEST(Documents, expressions_of_nemo_are_computed) {
  config::Value root = config::parse(
      "m: {n: 8, wide: '${multiply:4, ${.n}}', half: '${int_div:${.n},3}', up: "
      "'${divide_ceil:7,2}', "
      "more: '${sum:${.wide},-1}', both: '${multiply:${multiply:2,3},${m.n}}', zero: "
      "'${int_div:1,0}', loop: '${multiply:${.loop},2}'}",
      "x.yaml");
  job::resolve_references(root);
  const config::Value& m = *root.find("m");
  EXPECT_EQ(m.find("wide")->text, "32");
  EXPECT_EQ(m.find("half")->text, "2");
  EXPECT_EQ(m.find("up")->text, "4");
  EXPECT_EQ(m.find("more")->text, "31");
  EXPECT_EQ(m.find("both")->text, "48");
  EXPECT_EQ(m.find("zero")->text, "${int_div:1,0}");
  EXPECT_EQ(m.find("loop")->text, "${multiply:${.loop},2}");
}

TEST(Documents, references_are_followed_and_expressions_stay) {
  config::Value root = config::parse(
      "m: {n: 8, same: '${.n}', far: '${m.same}', up: {x: '${..n}'}, sum: '${now:${.n},-1}'}\n"
      "loop: '${loop}'\n",
      "x.yaml");
  job::resolve_references(root);
  const config::Value& m = *root.find("m");
  EXPECT_EQ(m.find("same")->text, "8");
  EXPECT_EQ(m.find("far")->text, "8");
  EXPECT_EQ(m.find("up")->find("x")->text, "8");
  EXPECT_EQ(m.find("sum")->text, "${now:${.n},-1}");
  EXPECT_EQ(root.find("loop")->text, "${loop}");
}

// NeMo's launcher puts the file of a stage below the stage's name.
TEST(Documents, references_may_begin_with_the_stage) {
  config::Value root = config::parse("{run: {name: x}, model: {n: '${training.run.name}'}}", "x");
  job::resolve_references(root);
  EXPECT_EQ(root.find("model")->find("n")->text, "x");
}

}  // namespace
}  // namespace pipewright::test
