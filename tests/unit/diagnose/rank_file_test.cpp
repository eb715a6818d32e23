#include "diagnose/rank_file.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "unit/diagnose/torch_work.hpp"

namespace pipewright::test {
namespace {

std::string rank_text(const TorchTrace& trace, int rank) { return trace.text(rank, 2); }

TorchTrace one_step(double begin) {
  TorchTrace trace;
  trace.range("ProfilerStep#1", begin, 1000).kernel("f", begin, 100, begin);
  trace.collective("allreduce", "", "[0, ...]", 2, begin + 100, 50, begin + 1);
  return trace;
}

TEST(RankFile, times_of_a_rank_count_from_its_begin) {
  const TemporaryFolder folder;
  const diagnose::RankFile read =
      diagnose::read_rank_file(folder.write("a.json", rank_text(one_step(1e15), 1)), {}, {});
  ASSERT_EQ(read.ranks.size(), 1u);
  EXPECT_EQ(read.ranks[0].rank, 1);
  EXPECT_EQ(read.ranks[0].begin_us, 1e15);
  EXPECT_EQ(read.ranks[0].work.operations.back().start, Time{});
  EXPECT_FALSE(read.error);
}

TEST(RankFile, dumps_of_other_ranks_are_not_used) {
  const TemporaryFolder folder;
  const FlightRecord other{.file = "dump_0", .rank = 0};
  FlightRecord own{.file = "dump_1", .rank = 1};
  own.groups[""] = {.description = "DATA_PARALLEL_GROUP", .ranks = "[0, 1]", .size = 2};
  const diagnose::RankFile read =
      diagnose::read_rank_file(folder.write("a.json", rank_text(one_step(0), 1)), {other, own}, {});
  EXPECT_EQ(read.used_flights, (std::vector<size_t>{1}));
  EXPECT_EQ(read.ranks[0].place.data, 1);
}

TEST(RankFile, of_no_trace_is_an_error) {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.json", R"({"a": 1})");
  EXPECT_NE(
      error_of([&] { diagnose::read_rank_file(file, {}, {}); }).find("has no list 'traceEvents'"),
      std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
