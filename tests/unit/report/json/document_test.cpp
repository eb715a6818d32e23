#include "report/json/document.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "config/value.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::json;

Json json_of_yaml(const char* yaml) {
  return Json::parse(json_text(config::parse(yaml, "x.yaml")));
}

TEST(DocumentJson, plain_scalars_keep_their_type) {
  const Json j = json_of_yaml("{a: 8, b: 0.5, c: true, d: null, e: -3, f: 1e-3, g: +2}");
  EXPECT_EQ(j, Json::parse(R"({"a":8,"b":0.5,"c":true,"d":null,"e":-3,"f":0.001,"g":2})"));
  EXPECT_TRUE(j.at("a").is_number_integer());
}

TEST(DocumentJson, everything_else_is_a_string) {
  EXPECT_EQ(
      json_of_yaml(R"({a: 10 us, b: "8", c: 'true', d: 0-11, e: nan, f: inf, g: 50%, h: 1_0})"),
      Json::parse(R"({"a":"10 us","b":"8","c":"true","d":"0-11","e":"nan","f":"inf","g":"50%",
                            "h":"1_0"})"));
}

TEST(DocumentJson, small_maps_stand_on_one_line) {
  EXPECT_EQ(json_text(config::parse("{a: {b: 1, c: [2, 3]}, d: {e: 4}}", "x.yaml")),
            "{\n"
            "  \"a\": {\n"
            "    \"b\": 1,\n"
            "    \"c\": [2, 3]\n"
            "  },\n"
            "  \"d\": {\"e\": 4}\n"
            "}\n");
}

}  // namespace
}  // namespace pipewright
