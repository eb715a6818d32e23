#include <gtest/gtest.h>

#include "error_of.hpp"
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

TEST(PythonCalls, arguments_that_no_parameter_takes_are_errors) {
  const std::string g = "def g(a, *, b=2):\n    return [a, b]\ndef f():\n    return ";
  EXPECT_EQ(error_of([&] { made_by(g + "g(1, c=3)\n"); }),
            "run.py:4:19: error: g takes no argument c");
  EXPECT_EQ(error_of([&] { made_by(g + "g(1, 2)\n"); }),
            "run.py:4:12: error: g takes no more than 1 arguments without a name, and not 2");
  EXPECT_EQ(made_by(g + "g(1, **x)\n"), "[1, ?x]");
  EXPECT_EQ(made_by(g + "g(*x, b=1)\n"), "[?x, 1]");
}

TEST(PythonCalls, defaults_are_those_of_the_definition) {
  EXPECT_EQ(made_by("N = 1\ndef g(n=N):\n    return n\nN = 2\ndef f():\n    return g()\n"), "1");
}

// A function that stands in a file is followed, whatever its name says elsewhere.
TEST(PythonCalls, a_file_is_asked_before_a_name) {
  interop::python::Surroundings surroundings;
  surroundings.read = [](const std::string& path) -> std::optional<std::string> {
    if (path == "own.py") return "def train(n):\n    return n + 1\n";
    return std::nullopt;
  };
  surroundings.call = [](const interop::python::Call& call, interop::python::Heap&) {
    return std::optional(interop::python::Value{int64_t{0}, call.place});
  };
  const std::string text = "import own\ndef f():\n    return own.train(3)\n";
  EXPECT_EQ(made_by(text, surroundings), "4");
  surroundings.is_own = [](std::string_view function) { return function == "own.train"; };
  EXPECT_EQ(made_by(text, surroundings), "0");
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
