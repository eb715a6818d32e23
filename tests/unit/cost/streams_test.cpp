// Kernels that stream, predicted by what a profile measured of them.
#include <gtest/gtest.h>

#include "config/value.hpp"
#include "cost/profile_cost.hpp"
#include "error_of.hpp"

namespace pipewright {
namespace {

using test::error_of;

Profile read(const std::string& streams) {
  static const config::Catalogue catalogue;
  return read_profile(config::parse("schema: pipewright.profile/1\n"
                                    "origin: measured\n"
                                    "device: core\n"
                                    "measured_on: {name: core, kind: cpu, processors: 1,\n"
                                    "  flops: {fp32: 50 GFLOP/s}, memory_bandwidth: 20 GB/s,\n"
                                    "  launch_overhead: 10 us}\n" +
                                        streams,
                                    "p.yaml"),
                      catalogue);
}

const std::string norms =
    "streams:\n"
    "  - {kernel: norm, pass: forward, latency: 4 us, bandwidth: 10 GB/s, largest: 1 GB,\n"
    "     held_out: [{points: some, count: 5, median: 0.0674, p90: 0.1, p95: 0.1}]}\n"
    "  - {kernel: norm, pass: gradient, latency: 30 us, bandwidth: 5 GB/s, cached: 40 GB/s,\n"
    "     cache: 1 MB, largest: 1 GB, held_out: []}\n";

Work stream(Kernel kernel, Direction direction, int64_t bytes) {
  return {.kernel = kernel,
          .dtype = DType::fp32,
          .direction = direction,
          .read = {bytes / 2},
          .written = {bytes / 2}};
}

// 100 MB at 10 GB/s and 4 us: 10.004 ms.
TEST(Streams, take_their_latency_and_their_bytes) {
  const Profile profile = read(norms);
  const ProfileCost cost(profile);
  EXPECT_EQ(cost.duration(stream(Kernel::norm, Direction::forward, 100'000'000), profile.device),
            microseconds(10004));
  const ProfileCost::Trust trust =
      cost.trust(stream(Kernel::norm, Direction::forward, 100'000'000), profile.device);
  EXPECT_EQ(trust.basis, Basis::measured);
  EXPECT_NEAR(trust.error, 0.1, 1e-9) << "the median is 0.674 standard deviations";
  EXPECT_EQ(
      cost.trust(stream(Kernel::norm, Direction::forward, 2'000'000'000), profile.device).basis,
      Basis::extrapolated);
}

TEST(Streams, of_no_bytes_take_their_latency) {
  const Profile profile = read(norms);
  EXPECT_EQ(
      ProfileCost(profile).duration(stream(Kernel::norm, Direction::forward, 0), profile.device),
      microseconds(4));
}

// Gradients of weights and inputs are one. 100 MB at 5 GB/s are 20 ms; of the 30 us of latency 10
// are the device's, the rest the benchmark's host. In its cache 0.4 MB would take 10 us and the
// latency; the memory's 20 GB/s allow that.
TEST(Streams, of_gradients_have_their_own_line_and_a_cache) {
  const Profile profile = read(norms);
  const ProfileCost cost(profile);
  for (const Direction direction : {Direction::input_gradient, Direction::weight_gradient})
    EXPECT_EQ(cost.duration(stream(Kernel::norm, direction, 100'000'000), profile.device),
              microseconds(20010));
  EXPECT_EQ(cost.duration(stream(Kernel::norm, Direction::input_gradient, 400'000), profile.device),
            microseconds(20));
  // 1 MB in 10 + 25 us would be 28.6 GB/s: no kernel is faster than the memory's 20 GB/s, 50 us.
  EXPECT_EQ(
      cost.duration(stream(Kernel::norm, Direction::input_gradient, 1'000'000), profile.device),
      microseconds(50));
}

TEST(Streams, on_a_device_with_twice_the_bandwidth_take_half) {
  const Profile profile = read(norms);
  Device faster = profile.device;
  faster.memory_bandwidth.bytes_per_s *= 2;
  EXPECT_EQ(
      ProfileCost(profile).duration(stream(Kernel::norm, Direction::forward, 100'000'000), faster),
      microseconds(5004));
}

TEST(Streams, that_were_not_measured_come_from_the_memory_s_bandwidth_as_without_a_profile) {
  for (const std::string& text : {norms, std::string()}) {
    const Profile profile = read(text);
    const Kernel kernel = text.empty() ? Kernel::norm : Kernel::elementwise;
    const Work work = stream(kernel, Direction::forward, 123'456'788);
    EXPECT_EQ(ProfileCost(profile).duration(work, profile.device),
              Roofline().duration(work, profile.device));
    EXPECT_EQ(ProfileCost(profile).trust(work, profile.device).basis, Basis::datasheet);
  }
}

// 1 / 2.5e9 s a number, less what its six bytes take at 0.8 of 20 GB/s: 0.025 ns.
TEST(Streams, numbers_without_vector_loads_take_longer_than_their_bytes) {
  const Profile profile = read(norms);
  Work work = stream(Kernel::norm, Direction::forward, 800'000'000);
  const ProfileCost cost(profile);
  const Time moved = cost.duration(work, profile.device);
  work.singles = 1e8;
  EXPECT_NEAR(in_seconds(cost.duration(work, profile.device) - moved), 0.0025, 1e-9);
}

TEST(Streams, are_read_with_care) {
  const auto message = [](const std::string& text) { return error_of([&] { read(text); }); };
  EXPECT_EQ(message("streams: {kernel: norm}\n"),
            "p.yaml:7:10: error: streams is a list, one entry a kind and pass");
  EXPECT_EQ(message("streams: [{kernel: gemm}]\n"),
            "p.yaml:7:20: error: 'gemm' must be norm, elementwise, optimizer or memcpy");
  EXPECT_NE(message("streams: [{kernel: norm, pass: forward, latency: 1 us, bandwidth: 0 B/s,\n"
                    "  largest: 1 MB, held_out: []}]\n"),
            "no error");
}

}  // namespace
}  // namespace pipewright
