#include "interop/nsys_profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "error_of.hpp"
#include "nsys_trace.hpp"
#include "temporary_folder.hpp"

namespace pipewright::test {
namespace {

std::vector<RankProfile> profiles_in(const NsysTrace& trace) {
  const TemporaryFolder folder;
  return read_nsys_profiles(trace.write(folder.path() + "/x.sqlite"));
}

std::vector<ProfiledEvent> of(const RankProfile& profile, EventCategory category) {
  std::vector<ProfiledEvent> found;
  std::ranges::copy_if(profile.events, std::back_inserter(found),
                       [&](const ProfiledEvent& event) { return event.category == category; });
  return found;
}

TEST(NsysProfile, kernels_know_their_launches_and_steps) {
  NsysTrace trace;
  trace.range("step 4", 0, 100).registered("backward", 50, 20);
  trace.range("optimizer", 80, 10).kernel("gemm", 20, 5, 10);
  const std::vector<RankProfile> all = profiles_in(trace);
  ASSERT_EQ(all.size(), 1u);
  const auto launches = of(all[0], EventCategory::launch);
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].start, microseconds(10));
  EXPECT_EQ(launches[0].correlation, of(all[0], EventCategory::kernel)[0].correlation);
  ASSERT_EQ(of(all[0], EventCategory::step).size(), 1u);
  EXPECT_EQ(of(all[0], EventCategory::step)[0].number, 4);
  EXPECT_EQ(of(all[0], EventCategory::backward_range).size(), 1u);
  EXPECT_EQ(of(all[0], EventCategory::optimizer_range).size(), 1u);
}

TEST(NsysProfile, what_another_thread_launches_is_backward) {
  NsysTrace trace;
  trace.range("step 1", 0, 100).kernel("f", 20, 5, 10).kernel("b", 40, 5, 30, {.thread = 2});
  const auto backward = of(profiles_in(trace)[0], EventCategory::backward_range);
  ASSERT_EQ(backward.size(), 1u);
  EXPECT_EQ(backward[0].start, microseconds(30));
}

TEST(NsysProfile, a_call_names_its_collective) {
  NsysTrace trace;
  trace.range("step 1", 0, 100).range("ncclAllGather", 9, 3).kernel("ncclDevKernel", 20, 5, 10);
  trace.kernel("ncclDevKernel", 30, 5, 29).range("nccl:all_reduce", 39, 3);
  trace.kernel("scale", 40, 1, 40);
  const RankProfile profile = profiles_in(trace)[0];
  const auto kernels = of(profile, EventCategory::kernel);
  ASSERT_EQ(profile.collectives.size(), 1u);
  EXPECT_EQ(profile.collectives[0].name, "AllGather");
  EXPECT_EQ(kernels[0].collective, 0);
  EXPECT_EQ(kernels[1].collective, -1);
  EXPECT_EQ(kernels[2].collective, -1);
}

// A group of calls ends before its kernel is launched.
TEST(NsysProfile, calls_say_who_takes_part_and_how_much_they_move) {
  NsysTrace trace;
  for (const int process : {5, 6}) {
    const NsysPlaces at{.device = process - 5, .process = process};
    trace.range("step 1", 0, 100, at).communicator(77, 2, 6 - process, at);
    trace.collective("ncclAllReduce", 77, 4096, 9, 1, at).range("ncclGroupEnd", 10, 5, at);
    trace.kernel("ncclDevKernel_AllReduce_Sum", 20, 5, 12, at);
    trace.collective("ncclBroadcast", 77, 8, 29, 3, at)
        .kernel("ncclDevKernel_AllGather", 40, 5, 30, at);
  }
  const std::vector<RankProfile> all = profiles_in(trace);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].rank, 0);
  EXPECT_EQ(all[0].world, 2);
  ASSERT_EQ(all[0].collectives.size(), 1u);
  EXPECT_EQ(all[0].collectives[0].name, "AllReduce");
  EXPECT_EQ(all[0].collectives[0].ranks, "[0, 1]");
  EXPECT_EQ(all[0].collectives[0].size, 2);
  EXPECT_EQ(all[0].collectives[0].bytes, 4096);
  EXPECT_EQ(of(all[0], EventCategory::kernel)[0].collective, 0);
  EXPECT_EQ(of(all[0], EventCategory::kernel)[1].collective, -1);  // a call of another kind
}

/// Two processes a node. A pipeline of two stages: those of one place talk across the nodes.
NsysTrace trace_of_node(int number) {
  NsysTrace trace;
  for (const int local : {0, 1}) {
    const NsysPlaces at{.device = local, .process = 5 + local};
    trace.range("step 1", 0, 100, at).communicator(77, 4, 2 * number + local, at);
    trace.communicator(80 + local, 2, number, at).collective("ncclSend", 80 + local, 64, 9, 2, at);
    trace.kernel("ncclDevKernel_SendRecv", 20, 5, 10, at);
  }
  return trace;
}

TEST(NsysProfile, groups_may_span_the_exports_of_several_nodes) {
  const TemporaryFolder folder;
  const std::string first = trace_of_node(0).write(folder.path() + "/0.sqlite");
  const std::string second = trace_of_node(1).write(folder.path() + "/1.sqlite");
  EXPECT_EQ(read_nsys_profiles(second)[0].collectives[0].ranks, "");
  const std::vector<RankProfile> all = read_nsys_profiles(second, read_nsys_processes(first));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].rank, 2);
  EXPECT_EQ(all[1].rank, 3);
  EXPECT_EQ(all[0].world, 4);
  EXPECT_EQ(all[0].collectives[0].ranks, "[0, 2]");
  EXPECT_EQ(all[1].collectives[0].ranks, "[1, 3]");
}

TEST(NsysProfile, ranks_of_mpi_number_the_processes_of_all_nodes) {
  const TemporaryFolder folder;
  const auto numbered = [&](int number) {
    NsysTrace trace = trace_of_node(number);
    for (const int local : {0, 1}) trace.rank(2 * local + number, {.process = 5 + local});
    return trace.write(folder.path() + "/" + std::to_string(number) + ".sqlite");
  };
  const std::string first = numbered(0), second = numbered(1);
  const std::vector<RankProfile> all = read_nsys_profiles(second, read_nsys_processes(first));
  EXPECT_EQ(all[0].rank, 1);
  EXPECT_EQ(all[0].collectives[0].ranks, "[0, 1]");
  EXPECT_EQ(all[1].collectives[0].ranks, "[2, 3]");
}

TEST(NsysProfile, ranges_and_launches_stay_in_their_process) {
  NsysTrace trace;
  for (const int process : {5, 6}) {
    const NsysPlaces at{.device = 6 - process, .process = process};
    trace.range("step 1", 0, 100, at).kernel(process == 5 ? "five" : "six", 20, 5, 10, at);
  }
  trace.range("backward", 0, 50, {.process = 5}).rank(3, {.process = 5}).rank(2, {.process = 6});
  const std::vector<RankProfile> all = profiles_in(trace);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].rank, 2);
  EXPECT_EQ(all[0].names[0], "six");
  EXPECT_EQ(of(all[0], EventCategory::backward_range).size(), 0u);
  EXPECT_EQ(of(all[1], EventCategory::backward_range).size(), 1u);
  EXPECT_EQ(of(all[1], EventCategory::launch).size(), 1u);
}

TEST(NsysProfile, without_steps_it_says_what_would_be_right) {
  const std::string error = error_of([] { profiles_in(NsysTrace().kernel("k", 0, 1, 0)); });
  EXPECT_NE(error.find("x.sqlite: error: nothing says what a step is: put every step into an NVTX "
                       "range 'step N'"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              profiles_in(NsysTrace().kernel("k", 0, 1, 0).without("NVTX_EVENTS"));
            }).find("NVTX range"),
            std::string::npos);
}

TEST(NsysProfile, launches_may_be_missing) {
  NsysTrace trace;
  trace.range("step 1", 0, 9).kernel("k", 1, 1, 0).without("CUPTI_ACTIVITY_KIND_RUNTIME");
  EXPECT_TRUE(of(profiles_in(trace)[0], EventCategory::launch).empty());
}

TEST(NsysProfile, an_export_names_its_host) {
  NsysTrace trace;
  trace.range("step 4", 0, 100).kernel("gemm", 20, 5, 10);
  EXPECT_EQ(profiles_in(trace).at(0).host, "");
  trace.with(
      "CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT);"
      "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('CpuCores', '8'), ('Hostname', 'gpu7');");
  EXPECT_EQ(profiles_in(trace).at(0).host, "gpu7");
}

}  // namespace
}  // namespace pipewright::test
