#include "base/labels.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(Labels, every_name_comes_back_as_it_was) {
  LabelTable table;
  for (const char* name : {"l1", "l12", "l012", "l0", "l00", "lane", "l1234567890", "7", "a_9z",
                           "l4294967295", "l999999999"}) {
    EXPECT_EQ(table.text(table.add(name)), name);
  }
  EXPECT_EQ(table.text({}), "");
}

TEST(Labels, different_names_have_different_labels) {
  LabelTable table;
  EXPECT_EQ(table.add("l1"), table.add("l1"));
  EXPECT_NE(table.add("l1"), table.add("l01"));
  EXPECT_NE(table.add("l1"), table.add("k1"));
  EXPECT_NE(table.add("l"), table.add("l0"));
}

}  // namespace
}  // namespace pipewright
