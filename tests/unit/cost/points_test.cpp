#include "cost/points.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "cost/measured_csv.hpp"
#include "error_of.hpp"

namespace pipewright {
namespace {

using test::error_of;

constexpr const char* two_rows =
    "# two rows of products\n"
    "gemm bf16 n k | m 64 128\n"
    "32 64 | 2.5 -\n"
    "32 128 | 3 4.25\n";

TEST(Points, a_table_holds_times_in_seconds_and_holes) {
  const std::vector<PointTable> tables = parse_points(two_rows, "p");
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].keys, &gemm_keys);
  EXPECT_EQ(tables[0].dtype, DType::bf16);
  EXPECT_EQ(tables[0].count(), 3);
  EXPECT_FLOAT_EQ(tables[0].rows[0].seconds[0], 2.5e-6f);
  EXPECT_TRUE(std::isnan(tables[0].rows[0].seconds[1]));
  EXPECT_EQ(tables[0].rows[1].sizes[1], 128);
}

TEST(Points, text_is_read_back_as_it_was_written) {
  const std::string text = to_text(parse_points(two_rows, "p"));
  EXPECT_EQ(text, std::string(two_rows).substr(std::string(two_rows).find('\n') + 1));
  EXPECT_EQ(to_text(parse_points(text, "p")), text);
}

TEST(Points, single_measurements_become_a_table_whatever_their_order) {
  const std::vector<Sample> samples = {
      {{32, 128, 128}, 4.25e-6}, {{32, 64, 64}, 2.5e-6}, {{32, 128, 64}, 3e-6}};
  const PointTable table = table_of(gemm_keys, DType::bf16, samples);
  EXPECT_EQ(to_text({table}), to_text(parse_points(two_rows, "p")));
  EXPECT_EQ(samples_of(table).size(), 3u);
}

TEST(Points, mistakes_are_told_at_their_line_and_column) {
  EXPECT_EQ(error_of([] { parse_points("32 64 | 1\n", "p"); }),
            "p:1:1: error: a table starts with its kernel: gemm or attention");
  EXPECT_EQ(error_of([] { parse_points("gem bf16 n k | m 64\n", "p"); }),
            "p:1:1: error: 'gem' must be a size, or a kernel: gemm or attention");
  EXPECT_EQ(error_of([] { parse_points("gemm bf15 n k | m 64\n", "p"); }),
            "p:1:6: error: 'bf15' must be a type such as bf16");
  EXPECT_EQ(error_of([] { parse_points("gemm bf16 n k | m 64 64\n", "p"); }),
            "p:1:22: error: sizes must grow along the line");
  EXPECT_EQ(error_of([] { parse_points("gemm bf16 n k | m 64\n32 64 | x\n", "p"); }),
            "p:2:9: error: 'x' must be a time in microseconds or -");
  EXPECT_EQ(error_of([] { parse_points("gemm bf16 n k | m 64\n32 64 | 1 2\n", "p"); }),
            "p:2:11: error: more times than the table's 1 columns");
  EXPECT_EQ(error_of([] { parse_points("gemm bf16 n k | m 64 65\n32 64 | 1\n", "p"); }),
            "p:2:9: error: the line ends where a time in microseconds or - is expected");
}

TEST(MeasuredCsv, the_header_tells_what_was_measured) {
  const auto products = read_measured_csv("dtype,m,n,k,time_s\nfp8,64,32,128,2e-6\n", "c");
  ASSERT_EQ(products.size(), 1u);
  EXPECT_EQ(products[0].dtype, DType::fp8);
  EXPECT_EQ(samples_of(products[0])[0].sizes[2], 64);  // n, k, then m
  const auto attention = read_measured_csv(
      "batch,sequence,heads,kv_heads,head_dim,time_s\r\n1,128,8,2,64,1e-5\r\n", "c");
  EXPECT_EQ(attention[0].keys, &attention_keys);
  EXPECT_EQ(samples_of(attention[0])[0].sizes, (std::array<int64_t, 5>{1, 8, 2, 64, 128}));
}

TEST(MeasuredCsv, mistakes_are_told_at_their_line_and_column) {
  EXPECT_EQ(error_of([] { read_measured_csv("", "c"); }),
            "c: error: the file is empty: it should start with a header");
  EXPECT_EQ(error_of([] { read_measured_csv("a,b\n", "c"); }),
            "c:1:1: error: the header must be dtype,m,n,k,time_s or "
            "batch,sequence,heads,kv_heads,head_dim,time_s");
  EXPECT_EQ(error_of([] { read_measured_csv("dtype,m,n,k,time_s\nbf16,64,0,1,1\n", "c"); }),
            "c:2:9: error: '0' must be a size");
  EXPECT_EQ(error_of([] { read_measured_csv("dtype,m,n,k,time_s\nbf16,64,1,1\n", "c"); }),
            "c:2:11: error: 4 cells, but the header has 5");
}

}  // namespace
}  // namespace pipewright
