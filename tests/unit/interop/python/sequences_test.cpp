#include <gtest/gtest.h>

#include "made_by.hpp"

namespace pipewright::test {
namespace {

// docs.python.org/3/library/functions.html
TEST(PythonSequences, what_goes_over_a_list) {
  EXPECT_EQ(value_in_python("[any([0, 1]), any([]), all([1, 0]), all([])]"),
            "[True, False, False, True]");
  EXPECT_EQ(value_in_python("[sum([1, 2.5]), sorted([3, 1, 2]), sorted(['b', 'a'])]"),
            "[3.5, [1, 2, 3], ['a', 'b']]");
  EXPECT_EQ(value_in_python("[list(enumerate(['a'], 1)), list(zip([1, 2], [3])), "
                            "list(reversed([1, 2]))]"),
            "[[[1, 'a']], [[1, 3]], [2, 1]]");
}

TEST(PythonSequences, what_is_not_known) {
  EXPECT_EQ(value_in_python("any([0, x]) or 1"), "?any([0, x]) or 1");
}

}  // namespace
}  // namespace pipewright::test
