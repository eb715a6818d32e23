#include "interop/python/builtins.hpp"

#include <gtest/gtest.h>

#include "made_by.hpp"

namespace pipewright::test {
namespace {

TEST(PythonBuiltins, numbers_and_texts) {
  EXPECT_EQ(value_in_python("int('8') + int(2.9) + len([1, 2]) + max(1, 4) + min([2, 3])"), "18");
  EXPECT_EQ(value_in_python("str(8) + 'B'.lower()"), "'8b'");
  EXPECT_EQ(value_in_python("int('eight')"), "int('eight')");
  EXPECT_EQ(value_in_python("'fp8_x'.startswith('fp8')"), "True");
  EXPECT_EQ(value_in_python("list(range(2, 4))"), "[2, 3]");
}

TEST(PythonBuiltins, dictionaries_and_lists_change) {
  EXPECT_EQ(made_by("def f():\n    a = dict(x=1)\n    a.update(y=2)\n    b = [a.get('y'), "
                    "a.get('z', 3)]\n    b.append(4)\n    b.extend([5])\n    return b\n"),
            "[2, 3, 4, 5]");
}

TEST(PythonBuiltins, items_come_and_go) {
  EXPECT_EQ(
      made_by("def f():\n    a = [1]\n    a.insert(0, 2)\n    a.reverse()\n    d = {'x': 3}\n"
              "    b = [a.pop(), d.pop('x'), d.setdefault('y', 4), d.pop('z', 5)]\n    return "
              "[a, b, d]\n"),
      "[[1], [2, 3, 4, 5], (y=4)]");
}

TEST(PythonBuiltins, copies_are_apart) {
  EXPECT_EQ(made_by("import copy\nfrom dataclasses import replace\ndef f():\n    a = "
                    "A.Config(b=B.Config(x=1))\n    c = copy.deepcopy(a)\n    c.b.x = 2\n    d = "
                    "replace(a, y=3)\n    return [a, c, d]\n"),
            "[Config(b=Config(x=1)), Config(b=Config(x=2)), Config(b=Config(x=1), y=3)]");
}

}  // namespace
}  // namespace pipewright::test
