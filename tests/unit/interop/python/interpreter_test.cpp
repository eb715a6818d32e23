#include <gtest/gtest.h>

#include "error_of.hpp"
#include "made_by.hpp"

namespace pipewright::test {
namespace {

TEST(PythonInterpreter, a_configuration_builds_on_another) {
  EXPECT_EQ(made_by("STEPS = 5\ndef base():\n    return T.Config(a=A(x=1), s=STEPS)\ndef f():\n"
                    "    config = base()\n    config.a.x += 2\n    config.b = B(y=config.s * 2)\n"
                    "    return config\n"),
            "Config(a=A(x=3), s=5, b=B(y=10))");
}

TEST(PythonInterpreter, conditions_and_loops_that_are_known_are_followed) {
  EXPECT_EQ(made_by("def f():\n    a = []\n    for i, n in [(1, 'x'), (2, 'y')]:\n        if n == "
                    "'y':\n            break\n        a.append(i)\n    return a\n"),
            "[1]");
}

TEST(PythonInterpreter, what_an_open_condition_sets_is_not_known) {
  EXPECT_EQ(made_by("def f():\n    c = T.Config(x=1, y=1)\n    if flag:\n        c.x = 2\n    "
                    "else:\n        z = 3\n    return [c, z]\n"),
            "[Config(x=?flag, y=1), ?flag]");
  EXPECT_EQ(made_by("def f():\n    if flag:\n        return 1\n    return 2\n"), "?flag");
  EXPECT_EQ(made_by("def f():\n    a = 0\n    for b in c:\n        a += 1\n    return a\n"), "?c");
}

TEST(PythonInterpreter, other_files_are_read) {
  const auto read = [](const std::string& path) -> std::optional<std::string> {
    if (path == "own/base.py")
      return "from .sizes import N\ndef base():\n    return T.Config(n=N)\n";
    if (path == "own/sizes.py") return "N = 8\n";
    if (path == "broken.py") return "def (";
    return std::nullopt;
  };
  EXPECT_EQ(made_by("from own.base import base\nimport broken\ndef f():\n    c = base()\n    c.b = "
                    "broken.x()\n    return c\n",
                    {.read = read}),
            "Config(n=8, b=x())");
}

TEST(PythonInterpreter, cases_are_compared) {
  const auto sizes = [](const std::string& of) {
    return made_by(
        "def g(match):\n    n = 0\n    match match:\n        case 'a':\n            n = "
        "1\n        case 'b' | 'c':\n            n = 2\n        case _:\n            n = "
        "3\n    return n\ndef f():\n    return g(" +
        of + ")\n");
  };
  EXPECT_EQ(sizes("'a'"), "1");
  EXPECT_EQ(sizes("'b'"), "?'b' | 'c'");
}

// A package hands on what it takes from others, under names of its own.
TEST(PythonInterpreter, a_name_may_go_through_several_files) {
  const auto read = [](const std::string& path) -> std::optional<std::string> {
    if (path == "a/common.py") return "from a.recipes import recipe\n";
    if (path == "a/recipes.py") return "from a.h100 import recipe_h100 as recipe\n";
    if (path == "a/h100.py") return "from a.base import base as recipe_h100\n";
    if (path == "a/base.py") return "def base():\n    return T.Config(n=8)\n";
    return std::nullopt;
  };
  EXPECT_EQ(made_by("from a.common import recipe\ndef f():\n    c = recipe()\n    c.m = 2\n"
                    "    return c\n",
                    {.read = read}),
            "Config(n=8, m=2)");
  // Two files that name each other end.
  const auto turn = [](const std::string& path) -> std::optional<std::string> {
    return path == "x.py" ? "from y import g\n" : "from x import g\n";
  };
  EXPECT_EQ(made_by("from x import g\ndef f():\n    return 3\n", {.read = turn}), "3");
}

TEST(PythonInterpreter, the_first_file_is_main) {
  const auto read = [](const std::string&) -> std::optional<std::string> {
    return "N = 1\nif __name__ == '__main__':\n    N = 2\n";
  };
  EXPECT_EQ(
      made_by("from other import N\nM = __name__\ndef f():\n    return [N, M]\n", {.read = read}),
      "[1, '__main__']");
}

TEST(PythonInterpreter, a_program_may_end_or_go_on_after_an_error) {
  EXPECT_EQ(made_by("N = []\ndef g():\n    N.append(1)\ndef f():\n    return N\nraise "
                    "SystemExit(g())\nN.append(2)\n"),
            "[1]");
  EXPECT_EQ(made_by("def f():\n    try:\n        raise ValueError('x')\n    except ValueError:\n "
                    "       pass\n    return 3\n"),
            "3");
  EXPECT_EQ(
      made_by("def f():\n    try:\n        a = 1\n    except X:\n        a = 2\n    else:\n   "
              "     b = 3\n    finally:\n        c = 4\n    return [b, c]\n"),
      "[3, 4]");
  EXPECT_EQ(made_by("def f():\n    for i in [1]:\n        pass\n    else:\n        i = 5\n    "
                    "return i\n"),
            "5");
}

TEST(PythonInterpreter, programs_that_stop_or_do_not_end_are_errors) {
  EXPECT_EQ(error_of([] { made_by("def f():\n    raise ValueError('x')\n"); }),
            "run.py:2:5: error: the program stops here with an error of its own");
  EXPECT_EQ(error_of([] { made_by("def f():\n    return f()\n"); }),
            "run.py:2:12: error: calls are nested too deeply");
  std::string loop = "def f():\n    a = 0\n";
  for (int i = 0; i < 3; ++i)
    loop += std::string(4 * static_cast<size_t>(i + 1), ' ') + "for i in range(1000):\n";
  EXPECT_NE(error_of([&] {
              made_by(loop + "                a += 1\n    return a\n");
            }).find("goes on for too long"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
