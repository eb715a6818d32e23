// Two devices, ports of 1 GB/s: an all-reduce of 500 MB sends as much and takes half a second. On
// each device a second of compute starts with it.
#include "engine/device_sharing.hpp"

#include <gtest/gtest.h>

#include "clusters.hpp"
#include "message_program.hpp"

namespace pipewright::test {
namespace {

struct Beside {
  Time compute_end, collective_end;
  bool free = false;
};

struct Device {
  double processors_held = 0;
  double memory_bandwidth = 1e30;
  Bytes read{};                  ///< by the compute
  Stream stream = Stream::data;  ///< of the collective
};

/// All devices alike.
class EvenLoad final : public DeviceLoad {
 public:
  explicit EvenLoad(const Device& device) : device_(device) {}
  std::optional<double> processors_held(CollectiveKind, std::span<const int32_t>,
                                        Bytes) const override {
    return device_.processors_held;
  }
  double memory_bandwidth(int32_t) const override { return device_.memory_bandwidth; }

 private:
  Device device_;
};

/// first -> all-reduce -> last, and `beside` between the two in the order of the lane.
Beside run_beside(const Device& device) {
  MessageProgram program(
      cluster_of("{devices: 2, link: {latency: 0 s, bandwidth: 1 GB/s}}").topology);
  program.prices.device_load = std::make_shared<const EvenLoad>(device);
  const OpId reduce =
      program.collective(CollectiveKind::all_reduce, {0, 1}, Bytes{500'000'000}, milliseconds(500));
  OpId beside = none;
  for (const int rank : {0, 1}) {
    const OpId first = program.compute(rank, milliseconds(1000));
    beside = program.compute(rank, milliseconds(1000), device.read);
    const OpId last = program.compute(rank, milliseconds(10));
    const LaneId compute = program.lane(rank, Stream::compute);
    for (const OpId op : {first, beside, last}) program.append(compute, op);
    program.append(program.lane(rank, device.stream), reduce);
    program.depend(first, reduce);
    program.depend(reduce, last);
  }
  const auto run = std::move(program).run();
  return {run.end(beside), run.end(reduce), run.free};
}

// Half a second at 0.8, and 0.6 of the work is left.
TEST(DeviceSharing, compute_gets_the_processors_that_channels_leave) {
  const Beside run = run_beside({.processors_held = 0.2});
  EXPECT_FALSE(run.free);
  EXPECT_NEAR(in_seconds(run.compute_end), 2.1, 1e-9);
}

TEST(DeviceSharing, a_tensor_collective_takes_as_much) {
  const Beside run = run_beside({.processors_held = 0.2, .stream = Stream::tensor});
  EXPECT_NEAR(in_seconds(run.compute_end), 2.1, 1e-9);
}

TEST(DeviceSharing, the_collective_is_not_slowed) {
  EXPECT_EQ(run_beside({.processors_held = 0.2}).collective_end, milliseconds(1500));
}

// 3 GB/s of 10 for the collective; compute that wants all 10 gets 7: half a second at 0.7.
TEST(DeviceSharing, compute_gets_the_memory_that_is_left) {
  const Beside run = run_beside({.memory_bandwidth = 10e9, .read = Bytes{10'000'000'000}});
  EXPECT_NEAR(in_seconds(run.compute_end), 2.15, 1e-9);
}

TEST(DeviceSharing, compute_that_needs_no_more_than_is_left_is_not_slowed) {
  const Beside run = run_beside({.memory_bandwidth = 10e9, .read = Bytes{7'000'000'000}});
  EXPECT_TRUE(run.free);
  EXPECT_EQ(run.compute_end, milliseconds(2000));
}

// The scarcer of the two decides: 0.8 of the processors, 0.7 of the memory.
TEST(DeviceSharing, the_scarcer_of_both_decides) {
  const Beside run =
      run_beside({.processors_held = 0.2, .memory_bandwidth = 10e9, .read = Bytes{10'000'000'000}});
  EXPECT_NEAR(in_seconds(run.compute_end), 2.15, 1e-9);
}

TEST(DeviceSharing, compute_that_cannot_meet_a_collective_is_left_alone) {
  MessageProgram program(
      cluster_of("{devices: 2, link: {latency: 0 s, bandwidth: 1 GB/s}}").topology);
  program.prices.device_load =
      std::make_shared<const EvenLoad>(Device{.processors_held = 0.2, .memory_bandwidth = 1e12});
  const OpId reduce =
      program.collective(CollectiveKind::all_reduce, {0, 1}, Bytes{500'000'000}, milliseconds(500));
  const OpId first = program.compute(0, milliseconds(1000));
  const OpId last = program.compute(0, milliseconds(1000));
  const LaneId compute = program.lane(0, Stream::compute);
  program.append(compute, first);
  program.append(compute, last);
  program.append(program.lane(0, Stream::data), reduce);
  program.depend(first, reduce);
  program.depend(reduce, last);
  const auto run = std::move(program).run();
  EXPECT_TRUE(run.free);
  EXPECT_EQ(run.end(last), milliseconds(2500));
}

}  // namespace
}  // namespace pipewright::test
