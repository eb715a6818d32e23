#include "experiment/kind_keys.hpp"

#include <gmock/gmock.h>

#include "support/error_of.hpp"

namespace pipewright {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

config::Value training_document() {
  return config::parse(
      "cluster: c\n"
      "precision: bf16\n"
      "parallel: {zero: 1, data: 2, pipeline: 4}\n",
      "x.yaml");
}

std::vector<std::string> others(ExperimentKind kind) {
  std::vector<std::string> paths;
  for (const PlacedKey& key : keys_of_other_kinds(training_document(), kind))
    paths.push_back(key.path);
  return paths;
}

// A trace says itself what runs where; the times of a synthetic model have their precision in them.
TEST(KindKeys, keys_of_other_kinds_are_found_at_any_depth) {
  EXPECT_THAT(others(ExperimentKind::model), IsEmpty());
  EXPECT_THAT(others(ExperimentKind::synthetic),
              ElementsAre("precision", "parallel.zero", "parallel.pipeline"));
  EXPECT_THAT(others(ExperimentKind::trace), ElementsAre("precision", "parallel"));
}

TEST(KindKeys, what_is_erased_is_not_found_again) {
  config::Value left = training_document();
  erase_keys_of_other_kinds(left, ExperimentKind::synthetic);
  EXPECT_THAT(keys_of_other_kinds(left, ExperimentKind::synthetic), IsEmpty());
  EXPECT_NE(left.find("cluster"), nullptr);
  EXPECT_NE(left.find("parallel")->find("data"), nullptr);
}

TEST(KindKeys, the_first_one_is_refused_where_it_stands) {
  EXPECT_EQ(test::error_of([] {
              refuse_keys_of_other_kinds(training_document(), ExperimentKind::traffic, "traffic");
            }),
            "x.yaml:2:1: error: 'precision' means nothing beside 'traffic'");
}

}  // namespace
}  // namespace pipewright
