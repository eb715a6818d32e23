#include <gtest/gtest.h>

#include "error_of.hpp"
#include "made_by.hpp"

namespace pipewright::test {
namespace {

TEST(PythonTargets, names_of_further_out_are_set) {
  EXPECT_EQ(
      made_by("N = 1\ndef g():\n    global N\n    N = 2\ndef f():\n    g()\n    m = 1\n    def "
              "h():\n        nonlocal m\n        m = 3\n    h()\n    return [N, m]\n"),
      "[2, 3]");
}

TEST(PythonTargets, stars_take_the_rest) {
  EXPECT_EQ(made_by("def f():\n    *a, b = [1, 2, 3]\n    c, *d = [4]\n    return [*a, b, c, d]\n"),
            "[1, 2, 3, 4, []]");
}

TEST(PythonTargets, items_are_set_and_removed) {
  EXPECT_EQ(made_by("def f():\n    a = [1, 2, 3]\n    a[-1] = 4\n    del a[0]\n    d = {1: 4, 'x': "
                    "5}\n    d[1] = 6\n    del d['x']\n    return [a, d[1], len(a), 'x' in d]\n"),
            "[[2, 4], 6, 2, False]");
}

TEST(PythonTargets, a_list_that_grows_is_the_same_list) {
  EXPECT_EQ(made_by("def f():\n    a = [1]\n    b = a\n    b += [2]\n    return a\n"), "[1, 2]");
}

TEST(PythonTargets, a_name_in_an_expression_is_set) {
  EXPECT_EQ(made_by("def f():\n    if (n := 4) > 3:\n        return n\n    return 0\n"), "4");
}

TEST(PythonTargets, names_of_a_with) {
  EXPECT_EQ(
      made_by("def f():\n    with A(1), A(2) as c:\n        pass\n    with (A(3) as a, A(4) as "
              "b):\n        pass\n    return [c, a, b]\n"),
      "[A(2), A(3), A(4)]");
}

// What is not known at all is no part of what is, unless it may be an object that is.
TEST(PythonTargets, what_is_not_known_may_be_changed) {
  EXPECT_EQ(made_by("def f():\n    c = A.Config()\n    other.x = 1\n    other['y'] = 2\n"
                    "    other.z.w = 3\n    return c\n"),
            "Config()");
  EXPECT_EQ(made_by("def f():\n    d = {}\n    for k in other:\n        d[k] = 1\n"
                    "    d['a'] = 2\n    return 1\n"),
            "1");
  const std::string objects = "def f():\n    a = A.Config()\n    b = A.Config()\n    ";
  for (const char* alias : {"c = a if other else b", "c = [a, b][other]", "c = other or a"})
    EXPECT_NE(error_of([&] {
                made_by(objects + alias + "\n    c.x = 1\n    return a\n");
              }).find("what c is, which this changes, is not known here"),
              std::string::npos)
        << alias;
}

}  // namespace
}  // namespace pipewright::test
