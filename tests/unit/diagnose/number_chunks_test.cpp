#include "diagnose/number_chunks.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "diagnose/recognise_schedule.hpp"
#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

/// The passes as profilers of kernels show them: the k-th of a direction on each rank is numbered
/// k.
std::vector<TracedOperation> unnumbered(const std::string& schedule, int ranks, int micro_batches) {
  std::vector<TracedOperation> all = traced(schedule, ranks, micro_batches, 2, 2);
  std::erase_if(all, [](const TracedOperation& one) { return !diagnose::is_pass(one.kind); });
  std::ranges::stable_sort(all, {}, &TracedOperation::start);
  std::map<std::tuple<int, int, int, OperationKind>, int> next;
  for (TracedOperation& one : all) {
    one.micro_batch = next[{one.step, one.dp_rank, one.stage, one.kind}]++;
    one.chunk = 0;
  }
  return all;
}

std::string recognised(const std::vector<TracedOperation>& all) {
  return diagnose::recognise_schedule(diagnose::measured_job(all, "t")).name;
}

TEST(NumberChunks, an_interleaved_order_is_found_by_its_directions) {
  for (const int chunks : {2, 3, 4}) {
    const std::string schedule = fmt::format("{{name: interleaved-1f1b, virtual: {}}}", chunks);
    std::vector<TracedOperation> all = unnumbered(schedule, 4, 8);
    EXPECT_EQ(diagnose::number_chunks(all, 4), chunks);
    EXPECT_EQ(recognised(all), schedule);
    const auto most = std::ranges::max_element(all, {}, &TracedOperation::micro_batch);
    EXPECT_EQ(most->micro_batch, 7);
  }
}

TEST(NumberChunks, orders_of_one_chunk_stay) {
  for (const char* schedule : {"1f1b", "gpipe"}) {
    std::vector<TracedOperation> all = unnumbered(schedule, 4, 8);
    EXPECT_EQ(diagnose::number_chunks(all, 4), 1) << schedule;
    EXPECT_EQ(recognised(all), schedule);
  }
}

TEST(NumberChunks, a_trace_may_lack_ranks) {
  std::vector<TracedOperation> all = unnumbered("{name: interleaved-1f1b, virtual: 2}", 4, 8);
  std::erase_if(all, [](const TracedOperation& one) { return one.stage != 1; });
  EXPECT_EQ(diagnose::number_chunks(all, 4), 2);
}

TEST(NumberChunks, without_a_pipeline_there_are_none) {
  std::vector<TracedOperation> all = unnumbered("1f1b", 1, 8);
  EXPECT_EQ(diagnose::number_chunks(all, 1), 1);
  std::vector<TracedOperation> nothing;
  EXPECT_EQ(diagnose::number_chunks(nothing, 4), 1);
}

}  // namespace
}  // namespace pipewright::test
