// Programs that would take all of the machine's time or memory.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "interop/python/reader.hpp"
#include "made_by.hpp"

namespace pipewright::test {
namespace {

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(PythonHostile, chains_are_no_tree_of_copies) {
  EXPECT_EQ(value_in_python(repeated("(1 < ", 40) + "2" + repeated(" < 3)", 40)), "False");
}

TEST(PythonHostile, what_grows_by_itself_has_an_end) {
  for (const char* line : {"l.extend(l)", "l += l"}) {
    const std::string loop =
        std::string("def f():\n    l = [1]\n    for i in range(40):\n        ") + line + "\n";
    EXPECT_NE(error_of([&] { made_by(loop); }).find("makes too many values"), std::string::npos)
        << line;
  }
}

TEST(PythonHostile, a_whole_copy_has_what_is_shared_once) {
  EXPECT_EQ(made_by("import copy\ndef f():\n    d = {}\n    for i in range(29):\n        d = {'a': "
                    "d, 'b': d}\n    e = copy.deepcopy(d)\n    e['a']['x'] = 1\n    return "
                    "[e['b']['x'], 'x' in d['a']]\n"),
            "[1, False]");
}

TEST(PythonHostile, comparing_has_an_end) {
  const std::string tower =
      "    for i in range(29):\n        d = {'a': d, 'b': d}\n        e = "
      "{'a': e, 'b': e}\n";
  EXPECT_EQ(made_by("def f():\n    d = {}\n    e = {}\n" + tower + "    return d == e\n"),
            "?d == e");
}

TEST(PythonHostile, entries_that_are_looked_for_are_counted) {
  std::string text = "def f():\n    d = {";
  for (int i = 0; i < 9000; ++i) text += "'k" + std::to_string(i) + "': 1, ";
  text += "}\n    e = dict(d)\n    for i in range(900):\n        e.update(d)\n    return 1\n";
  EXPECT_NE(error_of([&] { made_by(text); }).find("makes too many values"), std::string::npos);
}

TEST(PythonHostile, numbers_that_do_not_fit) {
  EXPECT_EQ(value_in_python("(-9223372036854775807) % 5"), "3");
  EXPECT_EQ(value_in_python("7 % -5"), "-3");
  EXPECT_EQ(value_in_python("len(list(range(-9223372036854775807 - 1, 9223372036854775807)))"),
            "len(list(range(-9223372036854775808, 9223372036854775807)))");
}

}  // namespace
}  // namespace pipewright::test
