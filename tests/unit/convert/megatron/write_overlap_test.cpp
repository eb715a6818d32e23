#include <gtest/gtest.h>

#include "lines_of.hpp"

namespace pipewright::test {
namespace {

TEST(MegatronWriteOverlap, weights_that_are_gathered_beside_a_pass_are_said) {
  const std::string weights = small_experiment + "overlap: {data: true, weights: true}\n";
  EXPECT_EQ(lines_of(megatron::write_overlap, weights),
            "--overlap-grad-reduce\n--overlap-param-gather\n");
}

// One tensor rank has no products to split, and experts that are all there are sent nothing.
TEST(MegatronWriteOverlap, what_nobody_does_is_not_said) {
  std::string one = small_experiment + "overlap: {data: false, tensor: chunked, expert: pairs}\n";
  one.replace(one.find("tensor: 2"), 9, "tensor: 1");
  one.replace(one.find("data: 2"), 7, "data: 4");
  EXPECT_EQ(lines_of(megatron::write_overlap, one), "");
}

TEST(MegatronWriteOverlap, what_goes_beside_the_computation_is_said) {
  EXPECT_EQ(lines_of(megatron::write_overlap, small_experiment + "overlap: {data: true}\n"),
            "--overlap-grad-reduce\n");
  EXPECT_EQ(lines_of(megatron::write_overlap, small_experiment + "overlap: {data: false}\n"), "");
}

// 40 million parameters in fp32 are what Megatron-LM chooses for two replicas, and 10 million are
// not.
TEST(MegatronWriteOverlap, a_bucket_is_said_where_megatron_has_another) {
  const auto bucket = [](const std::string& bytes) {
    return lines_of(megatron::write_overlap,
                    small_experiment + "overlap: {data: false}\ndata: {bucket: " + bytes + "}\n");
  };
  EXPECT_EQ(bucket("160 MB"), "");
  EXPECT_EQ(bucket("40 MB"), "--ddp-bucket-size 10000000\n");
}

}  // namespace
}  // namespace pipewright::test
