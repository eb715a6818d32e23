#include "program/passes/chunked.hpp"

#include <gtest/gtest.h>

#include "support/one_stage.hpp"

namespace pipewright::test {
namespace {

/// X[8, 4] W[4, 4] in 16 bits: 64 bytes of X, 32 of W, 64 of Y.
Work product() {
  return {.kernel = Kernel::gemm,
          .dtype = DType::bf16,
          .flops = 2 * 8 * 4 * 4,
          .read = Bytes{64 + 32},
          .written = Bytes{64},
          .shape = {1, 8, 4, 4}};
}

StageWork before(CollectiveKind kind, int64_t bytes, std::vector<Work> kernels = {product()}) {
  StageWork work;
  work.forward = {{std::move(kernels), over_tensor(kind, bytes)}};
  return work;
}

StageWork after_gather(int64_t bytes, std::vector<Work> kernels = {product()}) {
  StageWork work;
  work.forward = {{{lasting(0)}, over_tensor(CollectiveKind::all_gather, bytes)},
                  {std::move(kernels), std::nullopt}};
  return work;
}

// g = 8 and s = 16 in four chunks: (8 + 16) / 4 + 3 * 16 / 4.
TEST(Chunked, a_collective_runs_beside_the_product_before_it) {
  const StageWork work = before(CollectiveKind::reduce_scatter, 16);
  EXPECT_EQ(picoseconds_of(work), 24);
  EXPECT_EQ(picoseconds_of(in_chunks(work, 4)), 18);
}

TEST(Chunked, a_product_runs_beside_the_gather_before_it) {
  const StageWork work = after_gather(16);
  EXPECT_EQ(picoseconds_of(work), 24);
  EXPECT_EQ(picoseconds_of(in_chunks(work, 4)), 18);
}

// Products are the longer: (8 + 4) / 2 + 8 / 2.
TEST(Chunked, a_short_collective_is_hidden_but_for_one_chunk) {
  EXPECT_EQ(picoseconds_of(in_chunks(before(CollectiveKind::all_reduce, 4), 2)), 10);
  EXPECT_EQ(picoseconds_of(in_chunks(after_gather(4), 2)), 10);
}

// 3 before, 5 after, in between (8 + 4) / 2 + 8 / 2.
TEST(Chunked, other_kernels_wait_for_all_chunks) {
  StageWork work = before(CollectiveKind::all_reduce, 4, {lasting(3), product()});
  work.forward.push_back({{lasting(5)}, std::nullopt});
  EXPECT_EQ(picoseconds_of(in_chunks(work, 2)), 18);
}

TEST(Chunked, each_part_of_a_product_reads_the_weights) {
  const StageWork work = in_chunks(before(CollectiveKind::all_reduce, 4), 2);
  ASSERT_EQ(work.forward.size(), 2u);
  for (const Segment& segment : work.forward) {
    const Work& part = segment.kernels.front();
    EXPECT_EQ(part.shape[1], 4);
    EXPECT_EQ(part.read, Bytes{32 + 32});
    EXPECT_EQ(part.written, Bytes{32});
    EXPECT_DOUBLE_EQ(part.flops, 2 * 4 * 4 * 4);
  }
}

TEST(Chunked, chunks_of_a_collective_add_up) {
  const StageWork work = in_chunks(before(CollectiveKind::all_reduce, 101), 3);
  ASSERT_EQ(work.forward.size(), 3u);
  EXPECT_EQ(work.forward[0].collective->bytes, Bytes{34});
  EXPECT_EQ(work.forward[1].collective->bytes, Bytes{34});
  EXPECT_EQ(work.forward[2].collective->bytes, Bytes{33});
}

TEST(Chunked, a_collective_that_no_product_touches_stays_whole) {
  const StageWork work = before(CollectiveKind::all_reduce, 16, {lasting(3)});
  EXPECT_EQ(in_chunks(work, 4).forward.size(), 1u);
  StageWork experts = before(CollectiveKind::all_to_all, 16);
  experts.forward.front().collective->axis = Axis::expert;
  EXPECT_EQ(in_chunks(experts, 4).forward.size(), 1u);
}

/// Blocks of 10 beside shifts.
StageWork ring(int64_t bytes) {
  const CollectiveWork shift{CollectiveKind::shift, Axis::tensor, Bytes{bytes}};
  StageWork work;
  work.forward = {{.kernels = {lasting(1)}, .collective = shift},
                  {.kernels = {lasting(10)}, .collective = shift, .chain = 1},
                  {.kernels = {lasting(10)}},
                  {.joins = true}};
  return work;
}

// 1, then blocks of 10 and 10, beside which both shifts of 2 run.
TEST(Chunked, a_ring_keeps_its_overlap) {
  EXPECT_EQ(picoseconds_of(ring(2)), picoseconds_of(in_chunks(ring(2), 4)));
  EXPECT_EQ(picoseconds_of(in_chunks(ring(2), 4)), 21);
}

}  // namespace
}  // namespace pipewright::test
