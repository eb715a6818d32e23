#include "workload/model/hugging_face/keys.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::hugging_face {
namespace {

Value parsed(const char* text) { return config::parse(text, "x.yaml"); }

TEST(Keys, the_first_name_that_is_not_null_counts) {
  const Name name{"ffn", {"a", "b"}};
  EXPECT_EQ(find_any(parsed("{a: null, b: 2}"), name)->text, "2");
  EXPECT_EQ(find_any(parsed("{a: 1, b: 2}"), name)->text, "1");
  EXPECT_EQ(find_any(parsed("{c: 1}"), name), nullptr);
}

TEST(Keys, a_list_of_equal_numbers_is_that_number) {
  Value into;
  copy(parsed("{topk: [8, 8, 8]}"), "topk", into, "active");
  EXPECT_EQ(into.find("active")->text, "8");
  EXPECT_EQ(test::error_of([&] { copy(parsed("{topk: [8, 4]}"), "topk", into, "active"); }),
            "x.yaml:1:12: error: 'topk' differs from layer to layer, which is not modelled: all "
            "must be the first's 8");
}

// The library's configuration classes take "3072" for a text, and stop where they compute with it.
TEST(Keys, a_number_is_no_text) {
  Value into;
  EXPECT_EQ(test::error_of([&] { copy(parsed("{topk: '8'}"), "topk", into, "active"); }),
            "x.yaml:1:8: error: 'topk' must be a number, as 8, not the text \"8\"");
  EXPECT_NE(test::error_of([&] { count_of(parsed("{n: '2'}"), "n", 0); }), "");
}

TEST(Keys, fractions_of_nothing_are_whole_numbers) {
  const Value value = with_whole_numbers(parsed("{a: 32.0, b: [1.50, 2.000], c: '3.0', d: .0}"));
  EXPECT_EQ(value.find("a")->text, "32");
  EXPECT_EQ(value.find("b")->items[0].text, "1.50");
  EXPECT_EQ(value.find("b")->items[1].text, "2");
  EXPECT_EQ(value.find("c")->text, "3.0");
  EXPECT_EQ(value.find("d")->text, ".0");
}

TEST(Keys, what_is_not_modelled_is_refused_where_it_is_there) {
  const config::Value config =
      config::parse("{a: 12, b: 0, c: false, d: null, e: [], f: true}", "x.yaml");
  for (const char* key : {"b", "c", "d", "e", "g"}) refuse(config, key, "why");
  EXPECT_EQ(test::error_of([&] { refuse(config, "a", "why"); }),
            "x.yaml:1:5: error: a is not modelled: why");
  EXPECT_FALSE(test::error_of([&] { refuse(config, "f", "why"); }).empty());
}

}  // namespace
}  // namespace pipewright::hugging_face
