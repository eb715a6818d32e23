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

TEST(PythonBuiltins, copies_are_apart) {
  EXPECT_EQ(made_by("import copy\nfrom dataclasses import replace\ndef f():\n    a = "
                    "A.Config(b=B.Config(x=1))\n    c = copy.deepcopy(a)\n    c.b.x = 2\n    d = "
                    "replace(a, y=3)\n    return [a, c, d]\n"),
            "[Config(b=Config(x=1)), Config(b=Config(x=2)), Config(b=Config(x=1), y=3)]");
}

}  // namespace
}  // namespace pipewright::test
