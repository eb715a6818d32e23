// Context parallelism: what is exchanged, how work is shared, and what hides behind what.
#include <gtest/gtest.h>

#include "error_of.hpp"
#include "kernel_sums.hpp"
#include "run_schedule.hpp"
#include "schedule/kinds/kinds.hpp"
#include "transformers.hpp"

namespace pipewright::test::context {
namespace {

// s = 1024, b = 2, h = 64, a = 8 heads, cut over c = 4 devices: n = 512 tokens each, in 16 bits.
constexpr double s = 1024, b = 2, h = 64, c = 4, n = b * s / c;
constexpr int64_t keys = 2 * 512 * 2 * 64;  ///< bytes of keys and values of a device

Layer block(WorkloadOptions options) {
  options.micro_batch = 2;
  options.sequence = 1024;
  options.context = 4;
  return layers_of(gpt(1, 64, 8, 512), options)[1];
}

std::vector<int64_t> sizes(const Segments& segments, CollectiveKind kind) {
  std::vector<int64_t> sizes;
  for (const CollectiveWork& work : collectives(segments)) {
    EXPECT_EQ(work.axis, Axis::context);
    if (work.kind == kind) sizes.push_back(work.bytes.count);
  }
  return sizes;
}

/// How long the passes of a block take when a block of attention takes 10, the collective `hop` and
/// nothing else any time.
int64_t time_of(Segments segments, int64_t hop) {
  for (Segment& segment : segments) {
    bool attends = false;
    for (const Work& work : segment.kernels) attends |= work.kernel == Kernel::attention;
    segment.kernels = {Work{.fixed = picoseconds(attends ? 10 : 0)}};
  }
  const Schedule schedule =
      schedule::build({.ranks = 1, .micro_batches = 1}, config::scalar("gpipe"));
  Grid grid = grid_of(1, 1, 4);
  grid.meshes.front().context = 4;
  grid.meshes.front().data = 1;
  const Program program =
      lower({.schedule = schedule, .stages = {{.forward = segments}}, .grid = grid});
  const Timeline timeline = simulate(program, fixed_durations(program, picoseconds(hop)));
  Time end;
  for (const Span& span : timeline.spans) end = std::max(end, span.end);
  return end.ps;
}

// Keys and values go round in c - 1 steps and back in as many; behind them their gradients, from
// the second step on and home in one more: 2 (c - 1) K there and back, (c - 1) K of gradients.
TEST(Context, a_ring_moves_keys_and_values_to_every_device) {
  const Layer layer = block({});
  EXPECT_EQ(sizes(layer.forward, CollectiveKind::shift), (std::vector{keys, keys, keys}));
  EXPECT_EQ(sizes(layer.input_gradient, CollectiveKind::shift),
            (std::vector{keys, 2 * keys, 2 * keys, keys}));
}

// Two groups of u = 2 devices: each exchanges heads, and keys and values of u n tokens of a / u
// heads go to the one other group.
TEST(Context, heads_are_exchanged_within_rings) {
  const Layer layer = block({.context_split = {.heads = 2}});
  const auto moved = [&](CollectiveKind kind, Axis axis) {
    std::vector<int64_t> bytes;
    for (const CollectiveWork& work : collectives(layer.forward))
      if (work.kind == kind && work.axis == axis) bytes.push_back(work.bytes.count);
    return bytes;
  };
  EXPECT_EQ(collectives(layer.forward).size(), 3u);
  EXPECT_EQ(moved(CollectiveKind::all_to_all, Axis::context_heads),
            (std::vector{3 * keys / 2, keys / 2}));
  EXPECT_EQ(moved(CollectiveKind::shift, Axis::context_ring), (std::vector{keys}));
}

TEST(Context, rings_and_heads_together_compute_what_each_does) {
  const double ring = kernel_flops(block({}).forward, Kernel::attention);
  for (const int64_t heads : {2, 4})
    EXPECT_DOUBLE_EQ(
        kernel_flops(block({.context_split = {.heads = heads}}).forward, Kernel::attention), ring);
}

TEST(Context, all_heads_exchanged_is_ulysses) {
  const Layer all = block({.context_split = {.heads = 4}});
  const Layer ulysses = block({.context_split = {.exchange = ContextExchange::ulysses}});
  EXPECT_EQ(all.stash, ulysses.stash);
  const auto bytes = [](const Layer& layer) {
    std::vector<int64_t> sizes;
    for (const CollectiveWork& work : collectives(layer.forward))
      if (work.bytes > Bytes{}) sizes.push_back(work.bytes.count);
    return sizes;
  };
  EXPECT_EQ(bytes(all), bytes(ulysses));
}

// c blocks of 10. Shifts that are shorter are hidden; longer ones are waited for, all but the first
// block's time: (c - 1) 25 + 10.
TEST(Context, a_ring_takes_the_longer_of_blocks_and_shifts) {
  EXPECT_EQ(time_of(block({}).forward, 4), 40);
  EXPECT_EQ(time_of(block({}).forward, 25), 3 * 25 + 10);
}

// Backward gradients come home beside the last block, the device's own: of four shifts none is
// waited for that is shorter than a block, and only they count where they are longer.
TEST(Context, a_ring_brings_its_gradients_home_beside_the_last_block) {
  EXPECT_EQ(time_of(block({}).input_gradient, 4), 40);
  EXPECT_EQ(time_of(block({}).input_gradient, 25), 4 * 25);
}

TEST(Context, zigzag_gives_all_devices_the_same_part_of_the_triangle) {
  const double pairs = s * (s + 1) / 2;
  for (const auto exchange :
       {ContextExchange::ring, ContextExchange::ulysses, ContextExchange::all_gather}) {
    const Layer layer = block({.context_split = {.exchange = exchange}});
    EXPECT_DOUBLE_EQ(kernel_flops(layer.forward, Kernel::attention), 4 * b * pairs * h / c);
    EXPECT_DOUBLE_EQ(kernel_flops(layer.input_gradient, Kernel::attention), 10 * b * pairs * h / c);
  }
}

// The last quarter of the queries sees three quarters of the keys in full and its own triangle.
TEST(Context, contiguous_pieces_are_charged_what_the_last_device_has) {
  const double q = s / c, pairs = q * (s - q) + q * (q + 1) / 2;
  const Layer ring = block({.context_split = {.zigzag = false}});
  EXPECT_NEAR(kernel_flops(ring.forward, Kernel::attention), 4 * b * pairs * h, 1);
  // Heads see whole sequences, in whatever order.
  const Layer heads =
      block({.context_split = {.exchange = ContextExchange::ulysses, .zigzag = false}});
  EXPECT_DOUBLE_EQ(kernel_flops(heads.forward, Kernel::attention),
                   4 * b * (s * (s + 1) / 2) * h / c);
}

// Queries, keys and values there, the output back: 3 n h and n h numbers, and so backward.
TEST(Context, ulysses_exchanges_tokens_for_heads_and_back) {
  const Layer layer = block({.context_split = {.exchange = ContextExchange::ulysses}});
  const auto bytes = static_cast<int64_t>(2 * n * h);
  EXPECT_EQ(sizes(layer.forward, CollectiveKind::all_to_all), (std::vector{3 * bytes, bytes}));
  EXPECT_EQ(sizes(layer.input_gradient, CollectiveKind::all_to_all),
            (std::vector{bytes, 3 * bytes}));
  EXPECT_EQ(error_of([] {
              layers_of(gpt(1, 64, 8, 512),
                        {.sequence = 1024,
                         .tensor = 4,
                         .context = 4,
                         .context_split = {.exchange = ContextExchange::ulysses}});
            }),
            "error: tensor x context 16 must divide heads 8");
}

TEST(Context, gathered_keys_are_gathered_again_and_their_gradients_scattered) {
  const Layer layer = block({.context_split = {.exchange = ContextExchange::all_gather}});
  EXPECT_EQ(sizes(layer.forward, CollectiveKind::all_gather), std::vector{4 * keys});
  EXPECT_EQ(sizes(layer.input_gradient, CollectiveKind::all_gather), std::vector{4 * keys});
  EXPECT_EQ(sizes(layer.input_gradient, CollectiveKind::reduce_scatter), std::vector{4 * keys});
}

TEST(Context, unfused_attention_gathers) {
  const Layer layer = block({.kernels = {.attention = AttentionKernel::unfused}});
  EXPECT_EQ(sizes(layer.forward, CollectiveKind::all_gather), std::vector{4 * keys});
}

}  // namespace
}  // namespace pipewright::test::context
