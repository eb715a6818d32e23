#include "interop/goal_dependencies.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::goal {
namespace {

struct TwoOps {
  Goal goal;
  Label a, b;

  TwoOps() : a(goal.label_table.add("a")), b(goal.label_table.add("b")) {
    goal.file = "x.goal";
    goal.ops.resize(2);
  }
};

TEST(GoalDependencies, one_on_a_label_that_comes_later_is_added_at_the_end_of_the_rank) {
  TwoOps two;
  LabelledOps labelled(two.goal);
  labelled.add(two.a, 0);
  labelled.add({two.a, two.b, false, 1, 1, 1}, 0);
  EXPECT_TRUE(two.goal.dependencies.empty());
  labelled.add(two.b, 1);
  labelled.close(0);
  ASSERT_EQ(two.goal.dependencies.size(), 1u);
  EXPECT_EQ(two.goal.dependencies[0].op, 0u);
  EXPECT_EQ(two.goal.dependencies[0].on, 1u);
}

TEST(GoalDependencies, a_label_that_the_rank_does_not_have_is_told_where_it_stands) {
  TwoOps two;
  LabelledOps labelled(two.goal);
  labelled.add(two.a, 0);
  labelled.add({two.a, two.b, false, 7, 1, 13}, 3);
  EXPECT_EQ(test::error_of([&] { labelled.close(3); }),
            "x.goal:7:13: error: rank 3 has no op with the label 'b'");
}

TEST(GoalDependencies, no_op_waits_for_itself) {
  TwoOps two;
  LabelledOps labelled(two.goal);
  labelled.add(two.a, 0);
  EXPECT_EQ(test::error_of([&] {
              labelled.add({two.a, two.a, false, 2, 5, 9}, 0);
            }),
            "x.goal:2:5: error: 'a' waits for itself");
}

TEST(GoalDependencies, labels_belong_to_their_rank) {
  TwoOps two;
  LabelledOps labelled(two.goal);
  labelled.add(two.a, 0);
  labelled.close(0);
  EXPECT_EQ(labelled.find(two.a), OpsByLabel::nothing);
}

}  // namespace
}  // namespace pipewright::goal
