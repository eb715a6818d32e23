// Documents that are passed on.
#include "config/document.hpp"

#include <gtest/gtest.h>

#include "config/emit.hpp"
#include "config/value.hpp"

namespace pipewright::config {
namespace {

TEST(Document, is_the_value_that_it_was_made_of_and_so_are_its_copies) {
  const Document document = parse("{a: 1, b: [x, y]}", "x.yaml");
  const Document copy = document;
  EXPECT_EQ(to_yaml(copy), to_yaml(parse("{a: 1, b: [x, y]}", "x.yaml")));
  EXPECT_EQ(copy.value().find("a")->mark.where().file, "x.yaml");
}

TEST(Document, is_nothing_at_first) { EXPECT_TRUE(Document().value().is_null()); }

}  // namespace
}  // namespace pipewright::config
