#include "diagnose/profile_files.hpp"

#include <gtest/gtest.h>

#include "diagnose/diagnose.hpp"
#include "diagnose/trace_files.hpp"
#include "error_of.hpp"
#include "gzip.hpp"
#include "nsys_trace.hpp"
#include "report/json/diagnosis.hpp"
#include "temporary_folder.hpp"
#include "torch_trace.hpp"

namespace pipewright::test {
namespace {

TEST(ProfileFiles, are_known_by_their_beginning) {
  const TemporaryFolder folder;
  EXPECT_TRUE(diagnose::is_rank_profile(folder.write("a", " {}")));
  EXPECT_TRUE(diagnose::is_rank_profile(NsysTrace().write(folder.path() + "/b")));
  EXPECT_FALSE(diagnose::is_rank_profile(folder.write("c", "dp_rank,stage")));
  EXPECT_NE(error_of([] { diagnose::is_rank_profile("x.nsys-rep"); }).find("nsys export"),
            std::string::npos);
}

TEST(ProfileFiles, a_packed_one_that_is_cut_off_is_left_out_of_a_folder) {
  const TemporaryFolder folder;
  const auto text = [](int rank) {
    return fmt::format(
        R"({{"distributedInfo": {{"rank": {}, "world_size": 2}}, "traceEvents": [{{"ph": "X", )"
        R"("cat": "kernel", "name": "gemm", "ts": 1, "dur": 10, "args": {{"stream": 7}}}}]}})",
        rank);
  };
  folder.write("0.json.gz", gzip(text(0)));
  const std::string other = gzip(text(1));
  for (const size_t kept : {other.size() - 12, size_t{30}, size_t{12}}) {
    folder.write("1.json.gz", other.substr(0, kept));
    const Diagnosis found = diagnose::diagnose_files({folder.path()});
    EXPECT_TRUE(std::ranges::any_of(found.notes, [](const std::string& note) {
      return note.find("1.json.gz' was left out: is cut off") != std::string::npos;
    })) << kept;
  }
}

/// What a profiler of either kind saw of three steps on one rank: two micro-batches, an update, a
/// late host.
template <class Kernel, class Range>
void two_passes(Kernel kernel, Range range) {
  for (int step = 0; step < 3; ++step) {
    const double at = 1000.0 * step;
    range("step", at, 990.0, 1, step);
    kernel("gemm_f", at + 50, 100, at + 40, 1);
    range("backward", at + 150, 10.0, 2, 0);
    kernel("gemm_b", at + 200, 150, at + 155, 2);
    kernel("ncclDevKernel_AllReduce", at + 360, 40, at + 170, 1);
    kernel("gemm_f", at + 500, 100, at + 450, 1);
    range("backward", at + 550, 10.0, 2, 0);
    kernel("gemm_b", at + 640, 150, at + 555, 2);
    range("optimizer", at + 800, 50.0, 1, 0);
    kernel("adam", at + 820, 30, at + 810, 1);
  }
}

TEST(ProfileFiles, both_profilers_of_one_job_say_the_same) {
  const TemporaryFolder folder;
  TorchTrace torch;
  two_passes([&](auto name, double start, double length, double launched,
                 int thread) { torch.kernel(name, start, length, launched, thread); },
             [&](const std::string& what, double start, double length, int thread, int number) {
               if (what == "step")
                 torch.range(fmt::format("ProfilerStep#{}", number), start, length, thread);
               else if (what == "backward")
                 torch.backward(start, length, thread);
               else
                 torch.range("Optimizer.step#Adam.step", start, length, thread);
             });
  NsysTrace nsys;
  two_passes([&](auto name, double start, double length, double launched,
                 int thread) { nsys.kernel(name, start, length, launched, {.thread = thread}); },
             [&](const std::string& what, double start, double length, int thread, int number) {
               nsys.range(what == "step" ? fmt::format("iteration {}", number) : what, start,
                          length, {.thread = thread});
             });
  Diagnosis one = diagnose::diagnose_files({folder.write("t.json", torch.text())});
  Diagnosis other = diagnose::diagnose_files({nsys.write(folder.path() + "/t.sqlite")});
  EXPECT_EQ(one.micro_batches, 2);
  one.source = other.source;
  EXPECT_EQ(json_text(one), json_text(other));
}

/// A data rank of two micro-batches whose kernels take `factor` times as long.
void add_data_rank(NsysTrace& trace, NsysPlaces at, double factor) {
  double now = 0;
  trace.range("step 1", 0, 13000, at);
  for (int i = 0; i < 2; ++i) {
    trace.kernel("f", now, 1000 * factor, now, at);
    now += 1000 * factor;
    trace.range("backward", now - 1, 2, at).kernel("b", now, 2000 * factor, now, at);
    now += 2000 * factor;
  }
  at.stream = 20;
  trace.kernel("ncclDevKernel_AllReduce_Sum", now, 12100 - now, now, at);
}

TEST(ProfileFiles, several_devices_of_a_file_are_ranks) {
  const TemporaryFolder folder;
  NsysTrace trace;
  for (const int rank : {0, 1, 2})
    add_data_rank(trace, {.device = rank, .process = 10 + rank}, rank == 1 ? 2 : 1);
  const Diagnosis found = diagnose::diagnose_files({trace.write(folder.path() + "/node.sqlite")});
  EXPECT_EQ(found.parallel.data, 3);
  EXPECT_EQ(found.micro_batches, 2);
  ASSERT_FALSE(found.causes.empty());
  EXPECT_EQ(found.causes[0].kind, CauseKind::worker);
  EXPECT_EQ(found.causes[0].who, "data rank 1, stage 0");
  EXPECT_NEAR(found.causes[0].recovered_s, 6e-3, 0.3e-3);
}

/// Eight ranks, as Megatron-LM numbers them: tensor 2, data 2, pipeline 2. Under 1F1B with two
/// micro-batches a forward takes 1 ms and a backward 2 ms, 0.1 ms of each for sums of the tensor.
void add_megatron_rank(NsysTrace& trace, int rank) {
  const int tensor = rank % 2, data = rank / 2 % 2, stage = rank / 4;
  const NsysPlaces at{.device = rank, .process = 10 + rank};
  NsysPlaces beside = at;
  beside.stream = 20;
  const int64_t tensor_group = 10 + stage * 2 + data, data_group = 20 + stage * 2 + tensor,
                pipeline_group = 30 + data * 2 + tensor;
  trace.range("step 1", 0, 11000, at).communicator(1, 8, rank, at);
  trace.communicator(tensor_group, 2, tensor, at).communicator(data_group, 2, data, at);
  trace.communicator(pipeline_group, 2, stage, at);
  const auto collective = [&](const char* call, const char* kernel, int64_t group, double start,
                              double length) {
    trace.collective(call, group, 4096, start - 1, 2, at);
    trace.kernel(kernel, start, length, start, beside);
  };
  const auto pass = [&](bool back, double start) {
    const double end = start + (back ? 2000 : 1000);
    if (back) trace.range("backward", start - 5, end - start, at);
    trace.kernel(back ? "gemm_b" : "gemm_f", start, end - start - 200, start, at);
    collective("ncclAllReduce", "ncclDevKernel_AllReduce_Sum", tensor_group, end - 200, 100);
    trace.kernel("norm", end - 100, 50, end - 100, at);
    collective("ncclSend", "ncclDevKernel_SendRecv", pipeline_group, end - 20, 10);
  };
  for (const auto& [back, start] :
       stage == 0 ? std::vector<std::pair<bool, double>>{{false, 10},
                                                         {false, 1010},
                                                         {true, 4010},
                                                         {true, 7010}}
                  : std::vector<std::pair<bool, double>>{
                        {false, 1010}, {true, 2010}, {false, 4010}, {true, 5010}})
    pass(back, start);
  collective("ncclReduceScatter", "ncclDevKernel_ReduceScatter_Sum", data_group, 9500, 100);
}

TEST(ProfileFiles, ranges_of_nccl_tell_the_degrees_of_a_node) {
  const TemporaryFolder folder;
  NsysTrace trace;
  for (int rank = 0; rank < 8; ++rank) add_megatron_rank(trace, rank);
  const Diagnosis found = diagnose::diagnose_files({trace.write(folder.path() + "/node.sqlite")});
  EXPECT_EQ(found.parallel.tensor, 2);
  EXPECT_EQ(found.parallel.data, 2);
  EXPECT_EQ(found.parallel.pipeline, 2);
  EXPECT_EQ(found.micro_batches, 2);
  EXPECT_EQ(found.schedule.name, "1f1b");
}

TEST(ProfileFiles, files_of_a_folder_are_ranks) {
  const TemporaryFolder folder;
  for (const int rank : {0, 1, 2}) {
    NsysTrace trace;
    add_data_rank(trace, {.process = 10 + rank}, rank == 2 ? 2 : 1);
    trace.write(fmt::format("{}/{}.sqlite", folder.path(), rank));
  }
  const Diagnosis found = diagnose::diagnose_files({folder.path()});
  EXPECT_EQ(found.causes.at(0).who, "data rank 2, stage 0");
}

}  // namespace
}  // namespace pipewright::test
