#include "base/json_reader.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace pipewright {
namespace {

bool is_json(std::string_view text) {
  JsonReader reader(text);
  reader.skip();
  return reader.at_end();
}

/// The text that a JSON string says; nothing where it is none.
std::optional<std::string> text_in(std::string_view json) {
  JsonReader reader(json);
  std::string text(reader.take_text());
  if (!reader.at_end()) return std::nullopt;
  return text;
}

TEST(JsonReader, takes_members_that_are_wanted_and_skips_others) {
  JsonReader reader(R"( {"a" : {"x": [1, {"a": 2}], "y": null}, "b\u0063": "d\n" , "e": -1.5e3})");
  ASSERT_EQ(reader.kind(), JsonKind::object);
  reader.enter_object();
  ASSERT_TRUE(reader.next_member());
  EXPECT_EQ(reader.key(), "a");
  reader.enter_object();
  ASSERT_TRUE(reader.next_member());
  EXPECT_EQ(reader.kind(), JsonKind::array);
  reader.skip();
  ASSERT_TRUE(reader.next_member());
  EXPECT_EQ(reader.kind(), JsonKind::word);
  reader.skip();
  EXPECT_FALSE(reader.next_member());
  ASSERT_TRUE(reader.next_member());
  EXPECT_EQ(reader.key(), "bc");
  EXPECT_EQ(reader.take_text(), "d\n");
  EXPECT_EQ(reader.key(), "bc");
  ASSERT_TRUE(reader.next_member());
  EXPECT_EQ(reader.take_number(), "-1.5e3");
  EXPECT_FALSE(reader.next_member());
  EXPECT_TRUE(reader.at_end());
}

TEST(JsonReader, json_is_what_the_rfc_says) {
  for (const char* text :
       {"0", "-0", "-0.10e+05", "\"\"", "[]", "{}", " [ 1 , [ ] , { } ] ", "true", "null",
        "{\"a\":{\"b\":[{}]},\"a\":1}", "\"\\u0000\\ud83d\\ude00\\/\"", "\"\xf0\x9f\x98\x80\"",
        "1e999", "123456789012345678901234567890"})
    EXPECT_TRUE(is_json(text)) << text;
  for (const char* text : {"",
                           "01",
                           "1.",
                           ".5",
                           "1e",
                           "+1",
                           "-",
                           "tru",
                           "nul",
                           "True",
                           "[1,]",
                           "[,1]",
                           "[1 2]",
                           "[1",
                           "{",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1,}",
                           "{a:1}",
                           "{\"a\":1]",
                           "[1}",
                           "\"",
                           "\"\\\"",
                           "\"\\x\"",
                           "\"\\u12\"",
                           "\"\\u12g4\"",
                           "1 1",
                           "[]]",
                           "\"\n\"",
                           "\"\xff\"",
                           "\"\xc0\x80\"",
                           "\"\xed\xa0\x80\"",
                           "\"\xf4\x90\x80\x80\"",
                           "\"\xe2\x82\"",
                           "\"\\ud800\"",
                           "\"\\udc00\"",
                           "\"\\ud800\\u0041\"",
                           "\"\\ud800x\""})
    EXPECT_FALSE(is_json(text)) << text;
  EXPECT_FALSE(is_json(std::string_view("\"\0\"", 3)));
}

TEST(JsonReader, a_mistake_ends_all_reading) {
  JsonReader reader(R"({"a": oops, "b": 1})");
  reader.enter_object();
  ASSERT_TRUE(reader.next_member());
  EXPECT_EQ(reader.kind(), JsonKind::none);
  EXPECT_EQ(reader.take_text(), "");
  EXPECT_TRUE(reader.failed());
  EXPECT_FALSE(reader.next_member());
  EXPECT_FALSE(reader.at_end());
}

TEST(JsonReader, nests_as_deep_as_a_text_is_long) {
  const size_t depth = 200000;
  EXPECT_TRUE(is_json(std::string(depth, '[') + std::string(depth, ']')));
  EXPECT_FALSE(is_json(std::string(depth, '[')));
  EXPECT_FALSE(is_json(std::string(depth, '[') + std::string(depth + 1, ']')));
}

// A library that makes documents is another reader of the same grammar.
TEST(JsonReader, agrees_with_a_reader_of_documents_on_broken_texts) {
  const std::string whole =
      R"({"a": [1, -2.5e0, "x\u00e9\n", {"b": null}], "c": true, "": {}, "d": "\ud83d\ude00é"})";
  const std::string_view bytes = "{}[]\",:\\u0d1-.eEtn \n\xc3\xa9\xff";
  std::mt19937 dice(7);
  const auto below = [&](size_t count) { return dice() % count; };
  int right = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = whole;
    for (size_t change = 0; change <= below(3) && !text.empty(); ++change) {
      const size_t at = below(text.size());
      const char byte = bytes[below(bytes.size())];
      const size_t what = below(4);
      if (what == 0) text.erase(at, 1 + below(4));
      if (what == 1) text.insert(at, 1, byte);
      if (what == 2) text[at] = byte;
      if (what == 3) text.resize(at + 1);
    }
    const bool expected = nlohmann::json::accept(text);
    EXPECT_EQ(is_json(text), expected) << text;
    right += expected;
  }
  EXPECT_GT(right, 500);
}

TEST(JsonReader, agrees_with_a_reader_of_documents_on_texts) {
  const std::vector<std::string> parts = {"a", "\\\"",   "\\\\",    "\\n",     "\\u00e9",
                                          "é", "\\/",    "\\u0000", "\\u20AC", "\\ud83d\\ude00",
                                          "€", "\\ud83d"};
  std::mt19937 dice(8);
  for (int round = 0; round < 5000; ++round) {
    std::string text = "\"";
    for (size_t part = dice() % 6; part > 0; --part) text += parts[dice() % parts.size()];
    text += '"';
    const nlohmann::json expected = nlohmann::json::parse(text, nullptr, false);
    const std::optional<std::string> found = text_in(text);
    ASSERT_EQ(found.has_value(), !expected.is_discarded()) << text;
    if (found) {
      EXPECT_EQ(*found, expected.get<std::string>()) << text;
    }
  }
}

}  // namespace
}  // namespace pipewright
