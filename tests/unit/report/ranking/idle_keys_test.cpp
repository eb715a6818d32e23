#include "report/ranking/idle_keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pipewright {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

SweepCandidate candidate(std::vector<std::string> settings, double time) {
  return {.settings = std::move(settings), .objectives = {time}, .feasible = true};
}

TEST(IdleKeys, are_those_whose_value_alone_changes_nothing) {
  EXPECT_THAT(idle_keys({candidate({"1", "a"}, 3), candidate({"2", "a"}, 3),
                         candidate({"1", "b"}, 4), candidate({"2", "b"}, 4)}),
              ElementsAre(0));
}

TEST(IdleKeys, are_none_where_one_pair_differs) {
  EXPECT_THAT(idle_keys({candidate({"1", "a"}, 3), candidate({"2", "a"}, 3),
                         candidate({"1", "b"}, 4), candidate({"2", "b"}, 5)}),
              IsEmpty());
}

TEST(IdleKeys, are_none_without_runs_that_differ_in_one_key_alone) {
  EXPECT_THAT(idle_keys({candidate({"1", "a"}, 3), candidate({"2", "b"}, 3)}), IsEmpty());
  EXPECT_THAT(idle_keys({candidate({"1", "a"}, 3), candidate({"1", "a"}, 3)}), IsEmpty());
  EXPECT_THAT(idle_keys({}), IsEmpty());
}

TEST(IdleKeys, are_none_where_one_of_two_runs_does_not_fit) {
  SweepCandidate large = candidate({"2"}, 3);
  large.feasible = false;
  EXPECT_THAT(idle_keys({candidate({"1"}, 3), large}), IsEmpty());
}

}  // namespace
}  // namespace pipewright
