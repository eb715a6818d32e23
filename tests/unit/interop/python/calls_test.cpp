#include <gtest/gtest.h>

#include "made_by.hpp"

namespace pipewright::test {
namespace {

TEST(PythonCalls, arguments_find_their_parameters) {
  const std::string f =
      "def g(a, b=2, *rest, c=3, **others):\n    return [a, b, rest, c, others]\n";
  EXPECT_EQ(made_by(f + "def f():\n    return g(1)\n"), "[1, 2, [], 3, ()]");
  EXPECT_EQ(made_by(f + "def f():\n    return g(1, 5, 6, 7, c=8, d=9)\n"),
            "[1, 5, [6, 7], 8, (d=9)]");
  EXPECT_EQ(made_by(f + "def f():\n    o = {'b': 4}\n    return g(*[1], **o)\n"),
            "[1, 4, [], 3, ()]");
}

TEST(PythonCalls, a_variable_of_the_environment_is_given_or_has_a_default) {
  const std::string text =
      "import os\ndef f():\n    return [int(os.environ.get('N', '2')), os.environ['M']]\n";
  EXPECT_EQ(made_by(text), "[2, ?os.environ['M']]");
  EXPECT_EQ(made_by(text, {.given = {{"N", "4"}, {"M", "5"}}}), "[4, '5']");
}

// It is called for what it does, and nobody knows what that is.
TEST(PythonCalls, an_unknown_function_may_change_what_it_is_given) {
  const auto changes = [](const std::string& line) {
    interop::python::Program program(
        "from tool import apply\ndef f():\n    c = A.Config()\n    " + line + "\n    return c\n",
        "run.py", {.is_idle = [](std::string_view function) { return function == "print"; }});
    return program.call("f").object()->changed_by.size();
  };
  EXPECT_EQ(changes("apply(c)"), 1U);
  EXPECT_EQ(changes("c.finalize()"), 1U);
  EXPECT_EQ(changes("x = apply(c)"), 0U);
  EXPECT_EQ(changes("print(c)"), 0U);
}

}  // namespace
}  // namespace pipewright::test
