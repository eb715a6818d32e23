#include "calibrate/live/executor/op_times.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "calibrate/live/measure_ops.hpp"
#include "support/jobs.hpp"

namespace pipewright::live {
namespace {

Program pipeline() { return test::PipelineJob{.p = 2, .d = 1, .m = 2}.program(); }

std::vector<Time> increasing(const Program& program) {
  std::vector<Time> times;
  for (OpId op = 0; op < program.ops.size(); ++op) times.push_back(milliseconds(1 + op));
  return times;
}

// Four copies that together take twice as long fill the memory, so one takes half of it.
TEST(OpTimes, a_share_is_what_copies_lose_by_each_other) {
  const std::vector<Time> alone = {milliseconds(10), milliseconds(10), milliseconds(10), Time{}};
  const std::vector<Time> together = {milliseconds(20), microseconds(10400), milliseconds(50),
                                      Time{}};
  EXPECT_EQ(shares_of_memory(alone, together, 4), (std::vector<double>{0.5, 0, 1, 0}));
  EXPECT_EQ(shares_of_memory(alone, {}, 1), std::vector<double>(4));
}

// Half as many multiprocessors compute for twice as long and load the memory half as much; what is
// sent takes as long.
TEST(OpTimes, smaller_partitions_compute_longer) {
  const Program program = pipeline();
  const std::vector<Time> alone = increasing(program);
  const OpTimes half =
      on_smaller_partitions(program, {alone, std::vector<double>(alone.size(), 0.5)}, 2);
  for (OpId op = 0; op < program.ops.size(); ++op) {
    const bool moves = program.type(op).kind == OpKind::transfer;
    EXPECT_EQ(half.alone[op], moves ? alone[op] : alone[op] + alone[op]) << "op " << op;
    EXPECT_EQ(half.memory[op], moves ? 0.5 : 0.25) << "op " << op;
  }
}

/// Partitions of a GPU of which nothing but the size is known.
class Partitions final : public LiveDevice {
 public:
  explicit Partitions(int processors) { gpu_.processors_per_partition = processors; }
  std::string backend() const override { return "cuda"; }
  std::string description() const override { return ""; }
  std::optional<kernels::CudaDevice> gpu() const override { return gpu_; }
  kernels::Kernels& kernels() override { throw Failure("none"); }
  std::unique_ptr<DeviceWork> waiting(std::vector<Time>) override { return nullptr; }
  Timeline run(const Program&, DeviceWork&, const Timeline&) override { return {}; }
  std::vector<Timeline> run_alone(const Program&, std::span<DeviceWork* const>) override {
    return {};
  }

 private:
  kernels::CudaDevice gpu_;
};

TEST(OpTimes, come_from_where_they_are_measured) {
  const Program program = pipeline();
  const std::vector<Time> measured = increasing(program);
  Timeline simulated;
  for (const Time time : measured) simulated.spans.push_back({{}, time, time + time + time});
  Partitions small(16), large(32);
  const LiveDevice* asked = nullptr;
  const auto measure = [&](LiveDevice& device) {
    asked = &device;
    return OpTimes{measured, {}};
  };
  const OpTimes as_simulated = times_from({.measures = false}, program, small, simulated, measure);
  EXPECT_EQ(asked, nullptr);
  EXPECT_EQ(times_from({}, program, small, simulated, measure).alone, measured);
  EXPECT_EQ(asked, &small);
  const OpTimes scaled =
      times_from({.measures = true, .measured_on = &large}, program, small, simulated, measure);
  EXPECT_EQ(asked, &large);
  for (OpId op = 0; op < program.ops.size(); ++op) {
    const bool moves = program.type(op).kind == OpKind::transfer;
    EXPECT_EQ(as_simulated.alone[op], measured[op] + measured[op]);
    EXPECT_EQ(scaled.alone[op], moves ? measured[op] : measured[op] + measured[op]);
  }
}

}  // namespace
}  // namespace pipewright::live
