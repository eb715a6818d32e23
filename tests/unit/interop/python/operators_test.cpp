#include "interop/python/operators.hpp"

#include <gtest/gtest.h>

#include "made_by.hpp"

namespace pipewright::test {
namespace {

TEST(PythonOperators, numbers_are_pythons) {
  EXPECT_EQ(value_in_python("8 * 2048 + 2 ** 3"), "16392");
  EXPECT_EQ(value_in_python("-7 // 2"), "-4");
  EXPECT_EQ(value_in_python("-7 % 4"), "1");
  EXPECT_EQ(value_in_python("7 / 2"), "3.5");
  EXPECT_EQ(value_in_python("1 << 10 | 1"), "1025");
  EXPECT_EQ(value_in_python("2 ** -1"), "0.5");
  EXPECT_EQ(value_in_python("0x10 + 1_000"), "1016");
}

TEST(PythonOperators, what_does_not_fit_is_not_known) {
  EXPECT_EQ(value_in_python("9223372036854775807 + 1"), "?9223372036854775807 + 1");
  EXPECT_EQ(value_in_python("1 // 0"), "?1 // 0");
  EXPECT_EQ(value_in_python("'a' * 3.0"), "?'a' * 3.0");
}

TEST(PythonOperators, comparisons_are_truths) {
  EXPECT_EQ(value_in_python("1 < 2 < 2"), "False");
  EXPECT_EQ(value_in_python("'model' in ['model', 'loss']"), "True");
  EXPECT_EQ(value_in_python("'a' not in {'b': 1}"), "True");
  EXPECT_EQ(value_in_python("None is None and 1 == 1.0"), "True");
  EXPECT_EQ(value_in_python("A.Config() is not None"), "True");
  EXPECT_EQ(value_in_python("{'a': 1, 'b': [2]} == {'b': [2], 'a': 1}"), "True");
  EXPECT_EQ(value_in_python("[1, 2] == [1, 3]"), "False");
  EXPECT_EQ(value_in_python("not 'x' in [y]"), "?not 'x' in [y]");
}

TEST(PythonOperators, lists_and_texts_are_joined) {
  EXPECT_EQ(value_in_python("[1] + [2] + []"), "[1, 2]");
  EXPECT_EQ(value_in_python("'a' + 'b' 'c'"), "'abc'");
}

// docs.python.org/3/library/stdtypes.html, "Common Sequence Operations"
TEST(PythonOperators, what_is_repeated) {
  EXPECT_EQ(value_in_python("[['a'] * 2 + ['b'], 2 * [1], 't' * 3, [1] * -1]"),
            "[['a', 'a', 'b'], [1, 1], 'ttt', []]");
  EXPECT_EQ(value_in_python("[divmod(7, 2), divmod(-7, 2)]"), "[[3, 1], [-4, 1]]");
}

// (4, 1) and (4, True) are one key.
TEST(PythonOperators, tuples_are_keys) {
  EXPECT_EQ(
      made_by("def f():\n    layouts = {(1, 1): None, (4, 1): 'a'}\n    return [layouts[(4, 1)], "
              "(4, True) in layouts, (2, 1) in layouts, layouts.keys()]\n"),
      "['a', True, False, ?layouts.keys()]");
}

TEST(PythonOperators, a_class_has_one_name) {
  EXPECT_EQ(made_by("from a.b import C\nfrom a import C as D, E\nfrom z import C as F\n"
                    "def f():\n    return [C == D, C == E, C().__class__ == D, C == F]\n"),
            "[True, False, True, ?C == F]");
}

}  // namespace
}  // namespace pipewright::test
