#include "interop/nsys_processes.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "nsys_trace.hpp"
#include "temporary_folder.hpp"

namespace pipewright::test {
namespace {

std::vector<NsysProcess> processes_of(const NsysTrace& trace) {
  const TemporaryFolder folder;
  return read_nsys_processes(trace.write(folder.path() + "/x.sqlite"));
}

TEST(NsysProcesses, have_their_rank_and_the_communicators_that_they_made) {
  NsysTrace trace;
  trace.communicator(77, 4, 2, {.process = 5}).communicator(80, 2, 1, {.process = 5});
  trace.collective("ncclAllReduce", 77, 8, 5, 1, {.process = 5}).rank(3, {.process = 6});
  const std::vector<NsysProcess> all = processes_of(trace);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].rank, -1);
  ASSERT_EQ(all[0].made.size(), 2u);  // a call makes none
  EXPECT_EQ(all[0].made[0].communicator, 77u);
  EXPECT_EQ(all[0].made[0].ranks, 4);
  EXPECT_EQ(all[0].made[0].place, 2);
  EXPECT_EQ(all[1].rank, 3);
  EXPECT_TRUE(all[1].made.empty());
}

TEST(NsysProcesses, that_nobody_tells_apart_are_none) {
  EXPECT_TRUE(processes_of(NsysTrace().communicator(77, 4, 2, {.process = 0})).empty());
}

TEST(NsysProcesses, ranges_may_be_missing) {
  EXPECT_TRUE(processes_of(NsysTrace().without("NVTX_EVENTS").without("MPI_RANKS")).empty());
}

TEST(NsysProcesses, of_no_database_are_an_error) {
  const TemporaryFolder folder;
  const std::string file = folder.write("x.sqlite", "SQLite format 3, and no more");
  EXPECT_NE(error_of([&] { read_nsys_processes(file); }), "");
}

}  // namespace
}  // namespace pipewright::test
