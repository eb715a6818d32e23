#include <gtest/gtest.h>

#include "made_by.hpp"

namespace pipewright::test {
namespace {

TEST(PythonMethods, dictionaries_and_lists_change) {
  EXPECT_EQ(made_by("def f():\n    a = dict(x=1)\n    a.update(y=2)\n    b = [a.get('y'), "
                    "a.get('z', 3)]\n    b.append(4)\n    b.extend([5])\n    return b\n"),
            "[2, 3, 4, 5]");
}

TEST(PythonMethods, entries_of_a_dictionary) {
  EXPECT_EQ(
      made_by("def f():\n    c = A()\n    for key, value in {'x': 1, 'y': 2}.items():\n        "
              "setattr(c, key, value)\n    return [c, {'z': 3}.keys(), {'z': 3}.values(), {1: "
              "2}.keys()]\n"),
      "[A(x=1, y=2), ['z'], [3], ?{1: 2}.keys()]");
}

TEST(PythonMethods, items_come_and_go) {
  EXPECT_EQ(
      made_by("def f():\n    a = [1]\n    a.insert(0, 2)\n    a.reverse()\n    d = {'x': 3}\n"
              "    b = [a.pop(), d.pop('x'), d.setdefault('y', 4), d.pop('z', 5)]\n    return "
              "[a, b, d]\n"),
      "[[1], [2, 3, 4, 5], (y=4)]");
}

// docs.python.org/3/library/stdtypes.html, "String Methods"
TEST(PythonMethods, texts) {
  EXPECT_EQ(value_in_python("['Bf16'.upper(), ' a '.strip(), '-'.join(['a', 'b']), "
                            "'a/b'.split('/'), 'fp8_cs'.replace('_', '-')]"),
            "['BF16', 'a', 'a-b', ['a', 'b'], 'fp8-cs']");
  EXPECT_EQ(value_in_python("'-'.join(['a', x]) or 1"), "?'-'.join(['a', x]) or 1");
}

}  // namespace
}  // namespace pipewright::test
