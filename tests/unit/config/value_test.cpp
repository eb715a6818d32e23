#include <gtest/gtest.h>

#include "config/value.hpp"
#include "support/error_of.hpp"

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

// The list is in the file that `base` names: a map in its place would be a mistake of another name.
TEST(Value, set_path_changes_no_element_of_a_list_that_is_elsewhere) {
  Value value = parse("cluster: mine.yaml", "x.yaml");
  try {
    set_path(value, "cluster.fabric.links.8.latency=1 us");
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.message(),
              "'links' is to be a list, and the list is written elsewhere: one of its elements "
              "cannot be changed alone, give all of 'links'");
  }
}

TEST(Value, set_path_opens_the_names_of_nodes_devices_and_links) {
  Value value = parse("{cluster: {node: dgx-h100, fabric: {link: ndr}}}", "x.yaml");
  set_path(value, "cluster.node.price_per_hour=98");
  set_path(value, "cluster.fabric.link.latency=3 us");
  const Value* node = value.find("cluster")->find("node");
  EXPECT_EQ(node->find("base")->text, "dgx-h100");
  EXPECT_EQ(node->find("price_per_hour")->text, "98");
  EXPECT_EQ(value.find("cluster")->find("fabric")->find("link")->find("base")->text, "ndr");
}

TEST(Value, what_set_path_makes_stands_where_it_was_said) {
  Value value = parse("model: a\n", "x.yaml");
  set_path(value, "parallel.context.degree=2");
  set_path(value, "parallel.zero=3");
  const Value* parallel = value.find("parallel");
  EXPECT_EQ(to_string(parallel->mark.where()), "--set parallel.context.degree=2:1:1");
  EXPECT_EQ(to_string(parallel->find("context")->mark.where()),
            "--set parallel.context.degree=2:1:1");
  EXPECT_EQ(to_string(parallel->find("zero")->mark.where()), "--set parallel.zero=3:1:1");
  set_path(value, "shedule=1f1b");
  EXPECT_EQ(test::error_of([&] {
              Fields(value, "an experiment", {"model", "parallel", "schedule"});
            }),
            "--set shedule=1f1b:1:1: error: unknown key 'shedule'; did you mean 'schedule'?");
}

TEST(Value, an_empty_value_of_set_path_keeps_its_place) {
  Value value = parse("model: a\n", "x.yaml");
  set_path(value, "model=");
  EXPECT_TRUE(value.find("model")->is_null());
  EXPECT_EQ(to_string(value.find("model")->mark.where()), "--set model=:1:1");
}

TEST(Value, set_path_marks_the_keys_that_it_makes_as_told) {
  Value value = parse("model: a\n", "x.yaml");
  const Value said = parse("{batch.mcro: 4}", "study.yaml");
  const Entry& entry = said.entries[0];
  set_path(value, entry.key, entry.value, "study.yaml", entry.mark);
  const Entry& made = value.find("batch")->entries.at(0);
  EXPECT_EQ(to_string(made.mark.where()), "study.yaml:1:2");
  EXPECT_EQ(to_string(made.value.mark.where()), "study.yaml:1:14");
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
