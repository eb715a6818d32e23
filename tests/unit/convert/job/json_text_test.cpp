#include "convert/job/json_text.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

std::string json_of(const char* yaml) { return job::to_json(config::parse(yaml, "x.yaml")); }

TEST(JsonText, has_maps_and_lists_in_their_order) {
  EXPECT_EQ(json_of("{b: 1, a: [true, null, 2.5], c: {}}"),
            "{\n  \"b\": 1,\n  \"a\": [\n    true,\n    null,\n    2.5\n  ],\n  \"c\": {}\n}");
}

TEST(JsonText, says_texts_that_look_like_other_values) {
  EXPECT_EQ(json_of("{a: \"1\", b: auto, c: '[1]'}"),
            "{\n  \"a\": \"1\",\n  \"b\": \"auto\",\n  \"c\": \"[1]\"\n}");
}

TEST(JsonText, keeps_bytes_that_would_end_a_text) {
  EXPECT_EQ(json_of("{a: 'x\"y\\z'}"), "{\n  \"a\": \"x\\\"y\\\\z\"\n}");
}

}  // namespace
}  // namespace pipewright::test
