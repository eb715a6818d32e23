#include "peers/atom_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/engine.hpp"

namespace pipewright::atom {
namespace {

Time makespan(const std::vector<Segment>& segments, const Peers& peers) {
  const TimedProgram step = step_of(segments, peers);
  return simulate(step.program, step.durations).end();
}

std::vector<Segment> some_segments(std::mt19937& random) {
  const auto pick = [&](int least, int most) {
    return microseconds(std::uniform_int_distribution<int>(least, most)(random));
  };
  std::vector<Segment> segments(std::uniform_int_distribution<size_t>(1, 9)(random));
  for (Segment& one : segments)
    one = {pick(1, 50), pick(1, 90), pick(1, 400), pick(1, 400), {}, {}};
  return segments;
}

// The sums of the head of peers.hpp, of arXiv 2403.10504.
Time closed_form(const std::vector<Segment>& all, int c) {
  const size_t last = all.size() - 1;
  Time time = last > 0 ? all.front().load : Time{};
  for (size_t k = 0; k <= last; ++k)
    time += std::max(all[k].forward * c, k < last ? all[k + 1].load : Time{});
  for (size_t k = last + 1; k-- > 0;)
    time += std::max({all[k].backward * c, k > 0 ? all[k - 1].load : Time{},
                      k < last ? all[k + 1].store : Time{}});
  return time + all.front().store;
}

TEST(AtomProgram, takes_the_sums_of_the_paper) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    const std::vector<Segment> segments = some_segments(random);
    const int micro_batches = std::uniform_int_distribution<int>(1, 8)(random);
    EXPECT_EQ(makespan(segments, {.devices = {0}, .micro_batches = micro_batches}),
              closed_form(segments, micro_batches));
  }
}

TEST(AtomProgram, an_all_reduce_is_beside_the_step_or_after_it) {
  const std::vector<Segment> segments(
      3, {milliseconds(1), milliseconds(2), milliseconds(1), milliseconds(1), {}, {}});
  Peers peers{.devices = {0, 1}, .micro_batches = 4};
  const Time alone = makespan(segments, peers);
  for (const Time reduce : {alone * 2, Time{alone.ps / 2}}) {
    peers.reduce = reduce;
    peers.beside = true;
    EXPECT_EQ(makespan(segments, peers), std::max(alone, reduce));
    peers.beside = false;
    EXPECT_EQ(makespan(segments, peers), alone + reduce);
  }
}

TEST(AtomProgram, every_segment_passes_twice_for_each_micro_batch) {
  const TimedProgram step = step_of(std::vector<Segment>(3), {.devices = {0}, .micro_batches = 5});
  int computes = 0, copies = 0;
  for (OpId op = 0; op < step.program.ops.size(); ++op) {
    computes += step.program.type(op).kind == OpKind::compute;
    copies += step.program.type(op).kind == OpKind::copy;
  }
  EXPECT_EQ(computes, 2 * 3 * 5);
  // The first comes, two more, two on the way back; three gradients go.
  EXPECT_EQ(copies, 3 + 2 + 3);
}

}  // namespace
}  // namespace pipewright::atom
