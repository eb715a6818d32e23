#include "result/diagnosis.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

TEST(Diagnosis, causes_have_the_names_of_the_schema) {
  EXPECT_EQ(name_of(CauseKind::worker), "worker");
  EXPECT_EQ(name_of(CauseKind::sequence_lengths), "sequence_lengths");
  EXPECT_EQ(name_of(CauseKind::imbalance), "imbalance");
}

}  // namespace
}  // namespace pipewright::test
