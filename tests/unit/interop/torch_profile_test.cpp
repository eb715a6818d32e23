#include "interop/torch_profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "error_of.hpp"
#include "gzip.hpp"
#include "temporary_folder.hpp"
#include "torch_trace.hpp"

namespace pipewright::test {
namespace {

RankProfile profile_in(const std::string& text) {
  const TemporaryFolder folder;
  return read_torch_profile(folder.write("t.json", text));
}

TEST(TorchProfile, kernels_know_their_launch_stream_and_collective) {
  TorchTrace trace;
  trace.range("ProfilerStep#3", 1e15, 100)
      .kernel("gemm", 1e15 + 20, 5, 1e15 + 10)
      .collective("allreduce", "TENSOR_MODEL_PARALLEL_GROUP", "[0, 1]", 2, 1e15 + 25, 2, 1e15 + 11);
  const RankProfile profile = profile_in(trace.text(1, 2));
  EXPECT_EQ(profile.rank, 1);
  EXPECT_EQ(profile.world, 2);
  ASSERT_EQ(profile.events.size(), 5u);
  const ProfiledEvent& gemm = profile.events[2];
  EXPECT_EQ(profile.name(gemm), "gemm");
  EXPECT_EQ(gemm.start, microseconds(20));
  EXPECT_EQ(gemm.duration, microseconds(5));
  EXPECT_EQ(gemm.stream, 7);
  EXPECT_EQ(gemm.correlation, profile.events[1].correlation);
  EXPECT_EQ(gemm.collective, -1);
  ASSERT_EQ(profile.events[4].collective, 0);
  EXPECT_EQ(profile.collectives[0].ranks, "[0, 1]");
  EXPECT_EQ(profile.collectives[0].bytes, 2000);
}

// Kineto for ROCm: kernels without arguments, or with the address of their stream.
TEST(TorchProfile, a_kernel_without_a_stream_is_on_that_of_its_row) {
  const RankProfile profile = profile_in(R"({"traceEvents": [
{"ph": "X", "cat": "hip_runtime", "name": "hipLaunchKernel", "tid": 9, "ts": 0, "dur": 1,
 "args": {"correlation": 3, "stream": "0x7f00"}},
{"ph": "X", "cat": "kernel", "name": "Cijk_Ailk", "tid": 2, "ts": 1, "dur": 5},
{"ph": "X", "cat": "kernel", "name": "Cijk_Ailk", "tid": 3, "ts": 9, "dur": 5,
 "args": {"correlation": 3, "stream": "0x7f00"}}]})");
  ASSERT_EQ(profile.events.size(), 3u);
  EXPECT_EQ(profile.events[0].category, EventCategory::launch);
  EXPECT_EQ(profile.events[1].stream, 2);
  EXPECT_EQ(profile.events[2].stream, 3);
  EXPECT_EQ(profile.events[2].correlation, profile.events[0].correlation);
}

// Kineto for Intel's devices.
TEST(TorchProfile, calls_of_any_runtime_launch) {
  const RankProfile profile = profile_in(R"({"traceEvents": [
{"ph": "X", "cat": "xpu_runtime", "name": "piEnqueueKernelLaunch", "tid": 9, "ts": 0, "dur": 1,
 "args": {"correlation": 3}},
{"ph": "X", "cat": "kernel", "name": "gemm", "tid": 2, "ts": 1, "dur": 5,
 "args": {"correlation": 3}}]})");
  ASSERT_EQ(profile.events.size(), 2u);
  EXPECT_EQ(profile.events[0].category, EventCategory::launch);
}

TEST(TorchProfile, a_packed_trace_is_the_same) {
  const TemporaryFolder folder;
  const std::string text = TorchTrace().kernel("gemm", 5, 1, 2).text();
  EXPECT_EQ(read_torch_profile(folder.write("t.json.gz", gzip(text))).events.size(), 2u);
}

TEST(TorchProfile, what_nobody_asks_for_is_not_read) {
  const std::string stack =
      R"({"ph": "X", "cat": "python_function", "name": "f", "ts": "none", "dur": 1})";
  const std::string text = TorchTrace().kernel("gemm", 5, 1, 2).text();
  const size_t list = text.find("[\n") + 2;
  EXPECT_EQ(profile_in(text.substr(0, list) + stack + ",\n" + text.substr(list)).events.size(), 2u);
}

TEST(TorchProfile, what_is_wrong_has_its_line) {
  const auto said = [](const std::string& text) {
    const std::string error = error_of([&] { profile_in(text); });
    return error.substr(error.find(".json") + 5);
  };
  EXPECT_EQ(said("{\"traceEvents\": []}"),
            ": error: this trace has no event of a device, of its launches or of its steps");
  EXPECT_EQ(said("{\"traceEvents\": [\n{\"cat\": \"kernel\", \"ph\": \"X\", \"ts\": 1}]}"),
            ":2: error: this event has no number 'dur'");
  for (const char* broken : {R"({"cat": "kernel", oops})", R"({"ph": X, "cat": "kernel"})",
                             R"({"cat": "cpu_op", "name": oops})"})
    EXPECT_EQ(said(std::string("{\"traceEvents\": [\n") + broken + "]}"),
              ":2: error: this event is no JSON");
  EXPECT_EQ(
      said("{\"traceEvents\": [{\"cat\": \"kernel\", \"ph\": \"X\", \"ts\": 1, \"dur\": -1}]}"),
      ":1: error: this event ends before it begins: 'dur' is -1");
}

TEST(TorchProfile, the_rank_before_the_events_is_read_without_them) {
  const TemporaryFolder folder;
  const std::string text = TorchTrace().kernel("gemm", 5, 1, 2).text(3, 8);
  EXPECT_EQ(read_torch_rank(folder.write("a", text)), 3);
  EXPECT_EQ(read_torch_rank(folder.write("b", text.substr(0, text.size() / 2))), 3);
  EXPECT_EQ(read_torch_rank(folder.write("c", "{\"traceEvents\": []}")), -1);
  EXPECT_EQ(read_torch_rank(folder.write("d", "[]")), -1);
}

TEST(TorchProfile, without_marks_steps_end_with_updates) {
  TorchTrace trace;
  for (const double at : {0.0, 100.0, 200.0})
    trace.backward(at + 10, 20, 2)
        .range("Optimizer.step#Adam.step", at + 50, 10)
        .kernel("k", at, 5, at);
  std::vector<ProfiledEvent> steps = profile_in(trace.text()).events;
  std::erase_if(steps,
                [](const ProfiledEvent& one) { return one.category != EventCategory::step; });
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[1].start - steps[0].end(), Time{});
  EXPECT_EQ(steps[2].end() - steps[1].end(), microseconds(100));
  EXPECT_EQ(steps[2].number, 2);
}

TEST(TorchProfile, marks_say_more_than_updates) {
  TorchTrace trace;
  trace.range("ProfilerStep#4", 0, 500);
  for (const double at : {0.0, 100.0})
    trace.backward(at + 10, 20, 2).range("Optimizer.step#Adam.step", at + 50, 10);
  const RankProfile profile = profile_in(trace.kernel("k", 1, 5, 0).text());
  EXPECT_EQ(std::ranges::count(profile.events, EventCategory::step, &ProfiledEvent::category), 1);
}

TEST(TorchProfile, times_count_from_the_earliest_event_wherever_it_stands) {
  TorchTrace trace;
  trace.backward(1000, 1, 9).kernel("a", 5, 10, 2);
  const RankProfile profile = profile_in(trace.text());
  EXPECT_EQ(profile.begin_us, 2);
  EXPECT_EQ(profile.events[0].start, microseconds(998));
  EXPECT_EQ(profile.events[2].start, microseconds(3));
}

// batch_isend_irecv: two calls name messages; their kernel is launched after both, and names none.
TEST(TorchProfile, a_kernel_of_several_messages_has_those_of_the_calls_before_it) {
  const std::string call = R"({"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "tid": 1,
 "dur": 2, "args": {"Group size": 3, "Process Group Name": "5", "Process Group Ranks": "[4, 6, 8]",
 "In msg nelems": 10, "Out msg nelems": 10, "dtype": "BFloat16", )";
  const RankProfile profile = profile_in(R"({"traceEvents": [)" + call +
                                         R"("Collective name": "send", "Dst Rank": 8}, "ts": 0},)" +
                                         call + R"("Collective name": "recv", "Rank": 0}, "ts": 3},
{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "tid": 1, "ts": 6, "dur": 1,
 "args": {"correlation": 3}},
{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_SendRecv", "tid": 2, "ts": 9,
 "dur": 5, "args": {
    "correlation" : 3, "stream" : 20}
}]
})");
  ASSERT_EQ(profile.events.size(), 2u);
  ASSERT_GE(profile.events[1].collective, 0);
  const auto& batch = profile.collectives[static_cast<size_t>(profile.events[1].collective)];
  EXPECT_EQ(batch.name, "sendrecv");
  EXPECT_EQ(batch.ranks, "[4, 6, 8]");
  EXPECT_EQ(batch.messages, (std::vector<ProfiledMessage>{{true, 8, 20}, {false, 4, 20}}));
}

// As tensorboard_trace_handler of PyTorch names files.
TEST(TorchProfile, a_host_is_told_by_the_name_of_its_trace) {
  TorchTrace trace;
  trace.kernel("gemm", 20, 5, 10);
  const TemporaryFolder folder;
  const auto host_in = [&](const std::string& name, const std::string& text) {
    return read_torch_profile(folder.write(name, text)).host;
  };
  EXPECT_EQ(host_in("gpu_node-7.cluster_4711.1690000000123.pt.trace.json", trace.text()),
            "gpu_node-7.cluster");
  for (const char* name : {"rank3.json", "trace_3.json", "worker0.1690000000123.pt.trace.json",
                           "a_b.1690000000123.pt.trace.json", ".pt.trace.json"})
    EXPECT_EQ(host_in(name, trace.text()), "") << name;
  std::string other = trace.text();  // of process 12, and the name may be that of a step
  for (size_t at = 0; (at = other.find("\"pid\": 0", at)) != std::string::npos;)
    other.replace(at, 8, "\"pid\": 12");
  EXPECT_EQ(host_in("worker0_step_11.2.pt.trace.json", other), "");
  EXPECT_EQ(host_in("n3_12.2.pt.trace.json", other), "n3");
  std::string told = trace.text();
  told.insert(told.find("\"rank\""), "\"hostname\": \"n5\", ");
  EXPECT_EQ(host_in("a_1.2.pt.trace.json", told), "n5");
}

}  // namespace
}  // namespace pipewright::test
