// What is not known leaves nothing for sure that it may have changed.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "made_by.hpp"

namespace pipewright::test {
namespace {

std::string after(const std::string& lines, const std::string& given) {
  return made_by("from own import S, T, unknown\ndef f():\n" + lines + "    return " + given +
                 "\n");
}

TEST(PythonBranches, what_an_unknown_function_gives_is_not_known_to_be_true) {
  EXPECT_EQ(after("", "4 if unknown() else 2"), "?4 if unknown() else 2");
  EXPECT_EQ(after("", "unknown() is not None"), "?unknown() is not None");
  EXPECT_EQ(after("", "4 if T() is not None and T() else 2"), "4");
}

TEST(PythonBranches, lists_and_dictionaries_are_forgotten) {
  const std::string both = "    a = [1]\n    d = {'k': 1}\n";
  EXPECT_EQ(after(both + "    if S:\n        a.append(2)\n", "a"), "?S");
  EXPECT_EQ(after(both + "    if S:\n        a += [2]\n", "a"), "?S");
  EXPECT_EQ(after(both + "    if S:\n        d.update(tp=4)\n", "d['k']"), "?d['k']");
  EXPECT_EQ(after(both + "    if S:\n        del d['k']\n", "d"), "?S");
  EXPECT_EQ(after(both + "    a.sort(key=S)\n", "a"), "?a.sort");
  EXPECT_EQ(after(both + "    S and a.append(2)\n", "a"), "?S");
  EXPECT_EQ(after(both + "    a.append(2) if S else None\n", "a"), "?S");
}

TEST(PythonBranches, what_follows_a_way_out_is_in_doubt) {
  EXPECT_EQ(made_by("from own import S\ndef g(c):\n    if S:\n        return\n    c.x = 2\ndef "
                    "f():\n    c = A(x=1)\n    g(c)\n    return c.x\n"),
            "?S");
  EXPECT_EQ(after("    n = 1\n    for i in [1, 2]:\n        if S:\n            continue\n        n "
                  "= 2\n",
                  "n"),
            "?S");
  EXPECT_EQ(after("    n = 1\n    for i in [1, 2]:\n        n = i\n        if S:\n            "
                  "break\n",
                  "n"),
            "?S");
  EXPECT_EQ(
      after("    n = 1\n    for i in [1, 2]:\n        if S:\n            m = 1\n    n = 2\n", "n"),
      "2");
}

TEST(PythonBranches, names_are_not_set_for_sure) {
  for (const char* line : {"import other as n", "from other import n", "def n(): pass",
                           "class n: pass", "with x() as n: pass", "(n := 4)"})
    EXPECT_EQ(after(std::string("    n = 1\n    if S:\n        ") + line + "\n", "n"), "?S")
        << line;
}

TEST(PythonBranches, setting_what_is_not_known_is_an_error) {
  EXPECT_EQ(error_of([] { after("    q = dict(tp=1) if S else 2\n    q.tp = 4\n", "q"); }),
            "run.py:4:5: error: what q is, which this changes, is not known here");
  EXPECT_EQ(after("    S.a.b = 4\n", "S.a.b"), "4");
}

}  // namespace
}  // namespace pipewright::test
