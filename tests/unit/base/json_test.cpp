#include "base/json.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace pipewright {
namespace {

TEST(Json, is_read_as_it_was_written) {
  const nlohmann::ordered_json value = {{"b", 1}, {"a", {0.1, nullptr, "x\"y"}}};
  for (const int indent : {-1, 0, 2})
    EXPECT_EQ(parse_ordered_json(dump_json(value, indent)), value) << indent;
  EXPECT_EQ(dump_json(value).find('\n'), std::string::npos);
  EXPECT_LT(dump_json(value).find("\"b\""), dump_json(value).find("\"a\""));
}

TEST(Json, replaces_bytes_that_are_no_utf8) {
  EXPECT_EQ(dump_json(nlohmann::json("a\xff")), "\"a\xef\xbf\xbd\"");
  EXPECT_EQ(dump_json(nlohmann::ordered_json("a\xff"), 2), "\"a\xef\xbf\xbd\"");
}

TEST(Json, says_of_text_that_is_none_that_it_was_discarded) {
  for (const char* text : {"", "{", "[1,]", "1e999", "{\"a\":\"\xff\"}"}) {
    EXPECT_TRUE(parse_json(text).is_discarded()) << text;
    EXPECT_TRUE(parse_ordered_json(text).is_discarded()) << text;
  }
}

}  // namespace
}  // namespace pipewright
