#include "base/deflate.hpp"

#include <gtest/gtest.h>

#include <random>

namespace pipewright {
namespace {

TEST(Deflate, gives_back_what_went_in) {
  const std::string bytes = std::string(10'000, 'a') + std::string("\0\xff", 2);
  const std::string packed = deflated(bytes);
  EXPECT_LT(packed.size(), bytes.size() / 50);
  EXPECT_EQ(inflated(packed, bytes.size()), bytes);
  EXPECT_EQ(inflated(deflated(""), 0), "");
}

TEST(Deflate, what_is_in_the_sample_takes_hardly_any_room) {
  std::string sample;
  std::mt19937 random(1);
  for (int k = 0; k < 20'000; ++k) sample += static_cast<char>(random());
  const std::string bytes = sample.substr(0, 9'000) + "something else" + sample.substr(9'000);
  const std::string packed = deflated(bytes, sample);
  EXPECT_LT(packed.size(), 300);
  EXPECT_EQ(inflated(packed, bytes.size(), sample), bytes);
  EXPECT_EQ(inflated(packed, bytes.size()), std::nullopt);
  EXPECT_EQ(inflated(packed, bytes.size(), sample.substr(1)), std::nullopt);
  EXPECT_EQ(inflated(deflated("", sample), 0, sample), "");
}

TEST(Deflate, damage_is_told) {
  const std::string packed = deflated("what went in");
  EXPECT_EQ(inflated(packed, 11), std::nullopt);
  EXPECT_EQ(inflated(packed, 13), std::nullopt);
  EXPECT_EQ(inflated(packed.substr(0, packed.size() - 1), 12), std::nullopt);
  EXPECT_EQ(inflated("no such thing", 12), std::nullopt);
}

TEST(Crc, goes_on_from_the_bytes_before) {
  for (size_t cut = 0; cut <= 9; ++cut) {
    const std::string all = "123456789";
    EXPECT_EQ(crc(all.substr(cut), crc(all.substr(0, cut))), 0xCBF43926);  // of the CRC catalogue
  }
}

}  // namespace
}  // namespace pipewright
