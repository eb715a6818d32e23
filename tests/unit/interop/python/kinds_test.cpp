#include <gtest/gtest.h>

#include "made_by.hpp"

namespace pipewright::test {
namespace {

// docs.python.org/3/library/functions.html, isinstance: True is an int, too.
TEST(PythonKinds, values_of_pythons_own_types) {
  EXPECT_EQ(
      value_in_python("[isinstance('a', str), isinstance(1, str), isinstance(True, int), "
                      "isinstance(1, (str, int)), isinstance({}, dict), isinstance(None, str)]"),
      "[True, False, True, True, True, False]");
  EXPECT_EQ(value_in_python("[isinstance([1], (list, tuple)), isinstance([1], str)]"),
            "[True, False]");
}

TEST(PythonKinds, values_of_other_classes) {
  EXPECT_EQ(
      made_by("from a import PEFT\nfrom numbers import Number\ndef f():\n    return "
              "[isinstance('lora', PEFT), isinstance(PEFT(), PEFT), isinstance(1, Number)]\n"),
      "[False, True, isinstance(1, numbers.Number)]");
}

TEST(PythonKinds, what_is_not_known_may_be_of_any) {
  EXPECT_EQ(value_in_python("isinstance(x, str) and 1"), "?isinstance(x, str) and 1");
}

}  // namespace
}  // namespace pipewright::test
