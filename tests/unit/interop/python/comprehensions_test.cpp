#include <gtest/gtest.h>

#include "error_of.hpp"
#include "made_by.hpp"

namespace pipewright::test {
namespace {

// docs.python.org/3/tutorial/datastructures.html, "List Comprehensions"
TEST(PythonComprehensions, lists_and_dictionaries) {
  EXPECT_EQ(value_in_python("[x * x for x in range(4) if x != 2]"), "[0, 1, 9]");
  EXPECT_EQ(value_in_python("[(x, y) for x in [1, 2] for y in [2, 3] if x != y]"),
            "[[1, 2], [1, 3], [2, 3]]");
  EXPECT_EQ(value_in_python("{f'k{n}': n for n in (1, 2)}"), "(k1=1, k2=2)");
  EXPECT_EQ(value_in_python("sum(n for n in [1, 2, 3] if n > 1)"), "5");
  EXPECT_EQ(value_in_python("[k for k in {'a': 1, 'b': 2}]"), "['a', 'b']");
  EXPECT_EQ(value_in_python("[k for k in 'abc' if k != 'b']"), "['a', 'c']");
}

TEST(PythonComprehensions, names_of_a_comprehension_are_its_own) {
  EXPECT_EQ(made_by("def f():\n    x = 7\n    y = [x for x in [1, 2]]\n    return [x, y]\n"),
            "[7, [1, 2]]");
}

TEST(PythonComprehensions, what_is_not_known_makes_all_of_it_unknown) {
  EXPECT_EQ(value_in_python("[[a for a in B], [a for a in [1] if C]]"),
            "[?[a for a in B], ?[a for a in [1] if C]]");
  EXPECT_EQ(value_in_python("[D for a in [1, 2]]"), "[?D, ?D]");
}

TEST(PythonComprehensions, texts_with_values) {
  EXPECT_EQ(value_in_python("f'{1 + 1}-{True} {{x}}' '{y}'"), "'2-True {x}{y}'");
  EXPECT_EQ(value_in_python("f'{a}b'"), "?f'{a}b'");
  EXPECT_EQ(made_by("def f():\n    n = 8\n    return f'llama3_{n}b'\n"), "'llama3_8b'");
}

// docs.python.org/3/library/stdtypes.html, "Common Sequence Operations", notes 3 to 5
TEST(PythonComprehensions, slices) {
  EXPECT_EQ(value_in_python("[[0, 1, 2, 3][1:3], [0, 1, 2][:-1], [0, 1, 2][::-1]]"),
            "[[1, 2], [0, 1], [2, 1, 0]]");
  EXPECT_EQ(value_in_python("['fp8_mixed'[:3], [0, 1][5:], [0, 1, 2, 3, 4][-4:4:2], a[1:]]"),
            "['fp8', [], [1, 3], ?a[1:]]");
}

TEST(PythonComprehensions, an_end_to_what_grows) {
  const std::string text =
      "def f():\n    l = [0] * 1000\n    return [a for a in l for b in l for c in l]\n";
  EXPECT_NE(error_of([&] { made_by(text); }), "");
}

}  // namespace
}  // namespace pipewright::test
