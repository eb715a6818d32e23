#include "report/page/columns.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>

namespace pipewright {
namespace {

using Json = nlohmann::json;

// RFC 4648, section 10.
TEST(HtmlColumns, base64_is_that_of_the_standard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
}

// 1 is byte 01; 256 is 00 01; -1 is ff four times.
TEST(HtmlColumns, numbers_take_the_fewest_bytes_that_hold_them_all) {
  EXPECT_EQ(column_json(std::vector<int32_t>{}), R"(["u1",""])");
  EXPECT_EQ(column_json(std::vector<int32_t>{1}), R"(["u1","AQ=="])");
  EXPECT_EQ(column_json(std::vector<int32_t>{256}), R"(["u2","AAE="])");
  EXPECT_EQ(column_json(std::vector<int32_t>{-1}), R"(["i4","/////w=="])");
}

std::string bytes_of(std::string_view base64) {
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : base64.substr(0, base64.find('='))) {
    const std::string_view digits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    bits = bits << 6 | static_cast<uint32_t>(digits.find(c));
    if ((count += 6) >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 0xff);
  }
  return bytes;
}

// Start times of 400 spans that each last 3, then one a long time before.
TEST(HtmlColumns, many_numbers_are_deflated_planes_of_their_differences) {
  std::vector<int32_t> values;
  for (int i = 0; i < 400; ++i) values.push_back(7 + 3 * i);
  values.push_back(-2'000'000'000);
  const Json column = Json::parse(column_json(values));
  ASSERT_EQ(column.at(0), Json("d4"));
  const std::string packed = bytes_of(column.at(1).get<std::string>());
  EXPECT_LT(packed.size(), 100u);

  std::vector<unsigned char> planes(4 * values.size());
  uLongf size = planes.size();
  ASSERT_EQ(uncompress(planes.data(), &size, reinterpret_cast<const Bytef*>(packed.data()),
                       packed.size()),
            Z_OK);
  ASSERT_EQ(size, planes.size());
  uint32_t value = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    for (size_t byte = 0; byte < 4; ++byte)
      value += static_cast<uint32_t>(planes[byte * values.size() + i]) << (8 * byte);
    EXPECT_EQ(static_cast<int32_t>(value), values[i]) << i;
  }
}

}  // namespace
}  // namespace pipewright
