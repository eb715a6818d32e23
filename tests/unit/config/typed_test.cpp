#include <gtest/gtest.h>

#include "config/value.hpp"

namespace pipewright::config {
namespace {

Value of(std::string_view text) { return parse(text, "x.yaml"); }

template <class Read>
std::string message_when(Read read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.message();
  }
  return "no error";
}

TEST(Typed, quantities_take_their_units) {
  EXPECT_EQ(as_time(of("10 us")), microseconds(10));
  EXPECT_EQ(as_time(of("0.5")), milliseconds(500));
  EXPECT_EQ(as_bytes(of("80 GiB")), 80 * GiB);
  EXPECT_EQ(as_bytes(of("1 GB")).count, 1'000'000'000);
  EXPECT_DOUBLE_EQ(as_bandwidth(of("200 Gb/s")).bytes_per_s, 25e9);
  EXPECT_DOUBLE_EQ(as_flop_rate(of("312 TFLOP/s")).flops_per_s, 312e12);
  EXPECT_DOUBLE_EQ(as_count(of("15T")), 15e12);
  EXPECT_DOUBLE_EQ(as_fraction(of("50%"), 0, 1), 0.5);
}

TEST(Typed, a_wrong_dimension_says_what_would_be_right) {
  EXPECT_EQ(message_when([] { as_time(of("10 GB")); }),
            "'10 GB' has the unit 'GB', but must be a time such as 10 us");
}

TEST(Typed, negative_and_endless_numbers_are_refused) {
  EXPECT_NE(message_when([] { as_time(of("-1 s")); }).find("negative"), std::string::npos);
  EXPECT_NE(message_when([] { as_time(of("inf")); }).find("must be a time"), std::string::npos);
  EXPECT_NE(message_when([] { as_time(of("1e30 s")); }).find("11 days"), std::string::npos);
  EXPECT_EQ(message_when([] { as_count(of("1e308T")); }), "'1e308T' is too large to count with");
}

TEST(Typed, whole_numbers_have_a_range) {
  EXPECT_EQ(as_int(of("8"), 1, 10), 8);
  EXPECT_EQ(as_int(of("8.0"), 1, 10), 8);  // as tables with missing fields have whole numbers
  EXPECT_EQ(message_when([] { as_int(of("8.0 s"), 1, 10); }),
            "'8.0 s' must be a whole number from 1 to 10");
  EXPECT_EQ(message_when([] { as_int(of("8.5"), 1, 10); }),
            "'8.5' must be a whole number from 1 to 10");
}

TEST(Typed, choices_suggest_the_nearest) {
  EXPECT_EQ(message_when([] {
              as_choice(of("rendezvos"), {"async", "rendezvous"});
            }),
            "'rendezvos' must be one of async, rendezvous; did you mean 'rendezvous'?");
}

}  // namespace
}  // namespace pipewright::config
