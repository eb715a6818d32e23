#include <gtest/gtest.h>

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
            "x.yaml:2:1: error: not YAML: end of sequence flow not found");
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

TEST(Read, an_empty_document_is_null) { EXPECT_TRUE(parse("", "x.yaml").is_null()); }

TEST(Read, a_second_document_is_an_error) {
  EXPECT_NE(message_of("a: 1\n---\nb: 2\n").find("one document"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::config
