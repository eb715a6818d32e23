#include <gtest/gtest.h>

#include "config/value.hpp"

namespace pipewright::config {
namespace {

TEST(Value, an_unknown_key_is_reported_where_it_stands) {
  const Value value = parse("model: a\nshedule: b\n", "study.yaml");
  try {
    Fields(value, "an experiment", {"model", "schedule"});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "study.yaml:2:1: error: unknown key 'shedule'; did you mean 'schedule'?");
  }
}

TEST(Value, set_path_makes_maps_and_indexes_lists) {
  Value value = parse("a: {b: 1}\nlist: [1, 2]\n", "x.yaml");
  set_path(value, "a.c.d=5 us");
  set_path(value, "list.1=9");
  EXPECT_EQ(as_time(*value.find("a")->find("c")->find("d")), microseconds(5));
  EXPECT_EQ(value.find("list")->items[1].text, "9");
  EXPECT_THROW(set_path(value, "list.7=1"), InputError);
  EXPECT_THROW(set_path(value, "no equals sign"), InputError);
}

TEST(Value, merge_replaces_all_but_maps) {
  Value base = parse("{a: {b: 1, c: 2}, d: [1]}", "x.yaml");
  merge(base, parse("{a: {c: 3}, d: [4]}", "y.yaml"));
  EXPECT_EQ(base.find("a")->find("b")->text, "1");
  EXPECT_EQ(base.find("a")->find("c")->text, "3");
  EXPECT_EQ(base.find("d")->items[0].text, "4");
}

}  // namespace
}  // namespace pipewright::config
