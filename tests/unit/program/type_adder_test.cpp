#include "program/type_adder.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

TEST(TypeAdder, the_works_of_a_type_are_a_range_of_the_programs) {
  Program program;
  TypeAdder adder(program);
  adder.add({}, {Work{.fixed = picoseconds(1)}});
  const uint32_t second = adder.add({}, {Work{.fixed = picoseconds(2)}, Work{}});
  ASSERT_EQ(program.works_of(adder.type(second)).size(), 2u);
  EXPECT_EQ(program.works_of(adder.type(second))[0].fixed, picoseconds(2));
}

TEST(TypeAdder, communication_is_neither_first_nor_last_of_an_action) {
  Program program;
  TypeAdder adder(program);
  const uint32_t copy = adder.add_copy(Bytes{8}, true, 3, schedule::Pass::backward);
  const uint32_t sum = adder.add_collective({.bytes = Bytes{4}}, Traffic::data, 1);
  EXPECT_TRUE(adder.type(copy).to_host);
  EXPECT_EQ(adder.type(copy).stage, 3);
  for (const uint32_t type : {copy, sum})
    EXPECT_FALSE(adder.type(type).first || adder.type(type).last);
  EXPECT_EQ(adder.type(sum).bytes, Bytes{4});
}

}  // namespace
}  // namespace pipewright::test
