#include "diagnose/traced_ranks.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "unit/diagnose/torch_work.hpp"

namespace pipewright::test {
namespace {

using diagnose::Unreadable;

/// A data rank of three: step `step` has a kernel and, where it has groups, a sum of gradients.
std::string data_rank(int rank, int step = 1, bool groups = true) {
  TorchTrace trace;
  trace.range(fmt::format("ProfilerStep#{}", step), 0, 1000).kernel("f", 0, 100, 0);
  if (groups) trace.collective("allreduce", "DATA_PARALLEL_GROUP", "[0, 1, 2]", 3, 100, 50, 1);
  return trace.text(rank, 3);
}

struct Folder {
  TemporaryFolder folder;
  std::vector<std::string> files;

  Folder& add(const std::string& name, const std::string& text) {
    files.push_back(folder.write(name, text));
    return *this;
  }
  diagnose::TracedRanks read(Unreadable unreadable = Unreadable::refused) const {
    return diagnose::read_traced_ranks(files, unreadable);
  }
  std::string error() const {
    return error_of([this] { read(); });
  }
};

TEST(TracedRanks, stand_where_their_groups_say) {
  Folder folder;
  folder.add("a", data_rank(2)).add("b", data_rank(0)).add("c", data_rank(1));
  const diagnose::TracedRanks found = folder.read();
  ASSERT_EQ(found.ranks.size(), 3u);
  EXPECT_EQ(found.ranks[0].place.data, 2);
  EXPECT_FALSE(found.placed_by_messages);
  EXPECT_TRUE(found.notes.empty());
}

TEST(TracedRanks, a_file_that_is_cut_off_is_refused_or_left_out) {
  Folder folder;
  const std::string whole = data_rank(1);
  folder.add("a", data_rank(0)).add("b", whole.substr(0, whole.size() / 2));
  EXPECT_NE(folder.error().find("this trace is cut off"), std::string::npos);
  const diagnose::TracedRanks found = folder.read(Unreadable::left_out);
  EXPECT_EQ(found.ranks.size(), 1u);
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_NE(found.notes[0].find("/b' was left out: this trace is cut off"), std::string::npos);
}

TEST(TracedRanks, where_no_file_can_be_read_the_first_says_why) {
  Folder folder;
  folder.add("a", "{}").add("b", "[1]");
  const std::string why = error_of([&] { folder.read(Unreadable::left_out); });
  EXPECT_NE(why.find("this trace has no list 'traceEvents'"), std::string::npos) << why;
}

TEST(TracedRanks, a_rank_without_groups_has_no_place_among_those_with) {
  Folder folder;
  folder.add("a", data_rank(0)).add("b", data_rank(1, 1, false)).add("c", data_rank(2));
  const diagnose::TracedRanks found = folder.read();
  ASSERT_EQ(found.ranks.size(), 2u);
  EXPECT_EQ(found.ranks[1].place.data, 2);
  ASSERT_EQ(found.notes.size(), 2u);
  EXPECT_NE(found.notes[0].find("/b' was left out: it has no collective"), std::string::npos);
}

TEST(TracedRanks, without_any_communication_a_note_says_so) {
  Folder folder;
  folder.add("a", data_rank(0, 1, false)).add("b", data_rank(1, 1, false));
  const diagnose::TracedRanks found = folder.read();
  ASSERT_EQ(found.ranks.size(), 2u);
  ASSERT_EQ(found.notes.size(), 2u);
  EXPECT_EQ(found.notes[0].substr(0, 28), "no rank shows communication:");
}

TEST(TracedRanks, a_rank_of_other_steps_is_left_out) {
  Folder folder;
  folder.add("a", data_rank(0, 7)).add("b", data_rank(1, 9)).add("c", data_rank(2, 7));
  const diagnose::TracedRanks found = folder.read();
  EXPECT_EQ(found.ranks.size(), 2u);
  ASSERT_EQ(found.notes.size(), 2u);
  EXPECT_NE(found.notes[0].find("it shows step 9, and not step 7 of"), std::string::npos)
      << found.notes[0];
}

TEST(TracedRanks, ranks_that_no_trace_is_of_are_named) {
  Folder folder;
  folder.add("a", data_rank(0)).add("b", data_rank(1));
  const diagnose::TracedRanks found = folder.read();
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_EQ(
      found.notes[0],
      "the traces are of 2 of 3 ranks of the job, without rank 2: whether missing ranks or the "
      "links to them are slow cannot be told");
}

// The second rank begins 500 us after the first, on the clock of both.
TEST(TracedRanks, times_of_all_count_from_the_begin_of_the_first) {
  Folder folder;
  for (const int rank : {0, 1}) {
    const double begin = 1e15 + 500 * rank;
    TorchTrace trace;
    trace.range("ProfilerStep#1", begin, 1000).kernel("f", begin, 100, begin);
    trace.collective("allreduce", "DATA_PARALLEL_GROUP", "[0, 1]", 2, begin + 100, 50, begin + 1);
    folder.add(std::to_string(rank), trace.text(rank, 2));
  }
  const diagnose::TracedRanks found = folder.read();
  EXPECT_EQ(found.ranks[0].work.operations.back().start, Time{});
  EXPECT_EQ(found.ranks[1].work.operations.back().start, microseconds(500));
}

// The dump of the second rank; of the first there is none.
TEST(TracedRanks, a_dump_is_of_the_rank_that_its_name_ends_with) {
  Folder folder;
  TorchTrace trace;
  trace.range("ProfilerStep#1", 0, 1000).kernel("f", 0, 100, 0);
  trace.collective("allreduce", "", "[0, ...]", 3, 100, 50, 1);
  for (int rank = 0; rank < 2; ++rank) folder.add(std::to_string(rank), trace.text(rank, 3));
  FlightRecord of_one{.file = "dump_1", .rank = 1}, of_nobody{.file = "dump_7", .rank = 7};
  of_one.groups[""] = {.description = "DATA_PARALLEL_GROUP", .ranks = "[0, 1, 2]", .size = 3};
  const diagnose::TracedRanks found =
      diagnose::read_traced_ranks(folder.files, Unreadable::refused, {of_one, of_nobody});
  EXPECT_EQ(found.ranks[1].place.data, 1);
  ASSERT_FALSE(found.notes.empty());
  EXPECT_EQ(found.notes[0], "'dump_7' was left out: no trace is of rank 7");
}

TEST(TracedRanks, without_a_step_in_common_they_are_of_no_job) {
  Folder folder;
  folder.add("a", data_rank(0, 7)).add("b", data_rank(1, 9));
  EXPECT_NE(folder.error().find("/b: error: shows step 9 and"), std::string::npos)
      << folder.error();
}

TEST(TracedRanks, of_two_jobs_are_refused) {
  Folder folder;
  folder.add("a", data_rank(0)).add("b", TorchTrace().kernel("k", 0, 1, 0).text(1, 8));
  EXPECT_NE(folder.error().find("is of a job of 8 ranks"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
