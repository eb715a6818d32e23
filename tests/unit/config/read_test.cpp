#include <fmt/format.h>
#include <gtest/gtest.h>

#include "config/python_yaml.hpp"
#include "config/value.hpp"

namespace pipewright::config {
namespace {

std::string message_of(std::string_view text) {
  try {
    parse(text, "x.yaml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Read, values_know_their_line_and_column) {
  const Value value = parse("a: 1\nb: {c: [2, 3]}\n", "x.yaml");
  const Value* three = &value.find("b")->find("c")->items[1];
  EXPECT_EQ(three->text, "3");
  EXPECT_EQ(three->mark.line, 2);
  EXPECT_EQ(three->mark.column, 12);
}

TEST(Read, a_key_given_twice_is_an_error) {
  EXPECT_EQ(message_of("a: 1\na: 2\n"), "x.yaml:2:1: error: key 'a' is given twice");
}

TEST(Read, broken_yaml_names_its_place) {
  EXPECT_EQ(message_of("a: 1\nb: [1, 2"),
            "x.yaml:2:1: error: not YAML: end of sequence flow not found; the '[' of line 2 needs "
            "its ']'");
  EXPECT_EQ(
      message_of("{"),
      "x.yaml:1:1: error: not YAML: end of map flow not found; the '{' of line 1 needs its '}'");
  EXPECT_EQ(message_of("{a: 1, [b]: 2}"), "x.yaml:1:8: error: a key must be a plain word");
  EXPECT_EQ(message_of("{{a: 1}: 2, {a: 1}: 3}"), "x.yaml:1:2: error: a key must be a plain word");
  EXPECT_EQ(message_of(std::string_view("\x89PNG\0", 5)),
            "x.yaml: error: is no text: YAML is expected");
}

TEST(Read, nesting_is_bounded) {
  EXPECT_NE(message_of(std::string(70, '[') + std::string(70, ']')).find("nested deeper"),
            std::string::npos);
  EXPECT_NE(message_of(std::string(100000, '[')), "no error");
}

TEST(Read, aliases_copy_their_anchor) {
  const Value value = parse("a: &x {k: 1}\nb: *x\n", "x.yaml");
  EXPECT_EQ(value.find("b")->find("k")->text, "1");
}

TEST(Read, aliases_that_multiply_are_refused_before_they_unfold) {
  std::string list = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n", text = list;
  for (int k = 1; k < 10; ++k) {
    const std::string all = fmt::format("*a{}", k - 1);
    text += fmt::format("a{}: &a{} [{}, {}, {}, {}, {}, {}, {}, {}, {}]\n", k, k, all, all, all,
                        all, all, all, all, all, all);
  }
  EXPECT_TRUE(message_of(text).ends_with("the document's aliases unfold to more than 64 MiB"));
  const std::string long_text(100'000, 'x');
  std::string many = "a: &a " + long_text + "\nb: [*a";
  for (int k = 0; k < 1000; ++k) many += ", *a";
  EXPECT_TRUE(message_of(many + "]").ends_with("aliases unfold to more than 64 MiB"));
  std::string nested;
  for (int k = 0; k < 60; ++k) nested += fmt::format("&a{} [", k);
  for (int k = 0; k < 20'000; ++k) nested += "x, ";
  EXPECT_TRUE(message_of(nested + std::string(60, ']')).ends_with("unfold to more than 64 MiB"));
}

TEST(Read, what_has_no_end_is_refused) {
  try {
    parse_file("/dev/zero");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "error: file '/dev/zero' is larger than 64 MiB, the most that is read");
  }
}

TEST(Read, maps_of_many_keys_are_read_in_time) {
  std::string text;
  for (int k = 0; k < 200'000; ++k) text += fmt::format("k{}: 1\n", k);
  EXPECT_EQ(parse(text, "x.yaml").entries.size(), 200'000u);
}

TEST(Read, an_empty_document_is_null_at_its_beginning) {
  for (const char* text : {"", "\n", "# nothing here\n"}) {
    const Value value = parse(text, "x.yaml");
    EXPECT_TRUE(value.is_null());
    EXPECT_EQ(to_string(value.mark.where()), "x.yaml:1:1") << text;
  }
}

TEST(Read, a_value_left_out_stands_at_its_key) {
  const Value value = parse("a: 1\nb:\nc: {d: , e: 2}\nf:\n", "x.yaml");
  const auto place = [](const Value* null) {
    EXPECT_TRUE(null->is_null());
    return to_string(null->mark.where());
  };
  EXPECT_EQ(place(value.find("b")), "x.yaml:2:1");
  EXPECT_EQ(place(value.find("c")->find("d")), "x.yaml:3:5");
  EXPECT_EQ(place(value.find("f")), "x.yaml:4:1");
}

TEST(Read, a_second_document_is_an_error) {
  EXPECT_NE(message_of("a: 1\n---\nb: 2\n").find("one document"), std::string::npos);
}

// YAML 1.1, "Merge Key Language-Independent Type": keys of the map itself, and earlier maps of a
// list, hold.
TEST(PythonYaml, a_merge_key_fills_a_map_up) {
  const Value value = parse_as_python(
      "a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc:\n  <<: [*a, *b]\n  x: 5\n", "f.yaml", nullptr);
  const Value& c = *value.find("c");
  EXPECT_EQ(c.find("x")->text, "5");
  EXPECT_EQ(c.find("y")->text, "2");
  EXPECT_EQ(c.find("z")->text, "4");
  EXPECT_EQ(c.find("<<"), nullptr);
}

TEST(PythonYaml, the_last_of_equal_keys_holds_where_they_are_noted) {
  std::vector<std::string> repeated;
  const Value value = parse_as_python("a: 1\na: 2\n", "f.yaml", &repeated);
  EXPECT_EQ(value.find("a")->text, "2");
  EXPECT_EQ(repeated,
            std::vector<std::string>({"key 'a' is given twice: the last one holds (f.yaml:2:1)"}));
  EXPECT_THROW(parse_as_python("a: 1\na: 2\n", "f.yaml", nullptr), InputError);
}

}  // namespace
}  // namespace pipewright::config
