#include <gtest/gtest.h>

#include "made_by.hpp"

namespace pipewright::test {
namespace {

TEST(PythonExpressions, literals) {
  EXPECT_EQ(value_in_python("[None, True, 0b11, 1.5, 'a', (1,), {'b': 2}]"),
            "[None, True, 3, 1.5, 'a', [1], (b=2)]");
}

TEST(PythonExpressions, names_and_subscripts) {
  EXPECT_EQ(made_by("import torch\nN = [1, 2, {'k': 3}]\ndef f():\n    return [N[-1]['k'], N[5], "
                    "torch.bfloat16, missing]\n"),
            "[3, ?N[5], torch.bfloat16, ?missing]");
}

TEST(PythonExpressions, a_name_that_is_not_there_may_be_given) {
  const std::string text = "def f():\n    return [A * 2, B]\n";
  EXPECT_EQ(made_by(text, {.given = {{"A", "4"}, {"B", "llama3"}}}), "[8, 'llama3']");
  interop::python::Program program(text, "run.py", {});
  program.call("f");
  EXPECT_EQ(program.asked(), (std::vector<std::string>{"A", "B"}));
}

TEST(PythonExpressions, and_or_and_choices) {
  EXPECT_EQ(value_in_python("[0 or 2, 1 and 3, 4 if [] else 5, x and 1, False and x]"),
            "[2, 3, 5, ?x and 1, False]");
}

// Attributes of fields that nobody made are not known, and those of classes that are known are.
TEST(PythonExpressions, fields_that_nobody_set) {
  const std::string text =
      "def f():\n    c = A.Config()\n    c.training.steps = 10\n    return [c, c.compile.enable]\n";
  EXPECT_EQ(made_by(text), "[Config(training=training(steps=10)), enable()]");
}

}  // namespace
}  // namespace pipewright::test
