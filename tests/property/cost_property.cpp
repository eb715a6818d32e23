// Laws of the roofline over random products and devices.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "cost/profile_cost.hpp"
#include "cost/roofline.hpp"

namespace pipewright {
namespace {

Device any_device() {
  Device device;
  device.peak[static_cast<size_t>(DType::bf16)] = FlopRate{*rc::gen::inRange(1, 3000) * 1e12};
  device.memory_bandwidth = {*rc::gen::inRange(1, 100) * 1e11};
  device.operating.watts = *rc::gen::inRange(0, 1500);
  device.processors = *rc::gen::inRange(0, 300);
  return device;
}

Work product(int64_t batch, int64_t m, int64_t n, int64_t k) {
  return {.kernel = Kernel::gemm,
          .dtype = DType::bf16,
          .direction = *rc::gen::element(Direction::forward, Direction::weight_gradient),
          .flops = 2.0 * static_cast<double>(batch * m * n * k),
          .read = Bytes{2 * batch * (m * k + k * n)},
          .written = Bytes{2 * batch * m * n},
          .shape = {batch, m, n, k}};
}

RC_GTEST_PROP(RooflineLaws, no_product_beats_the_peak_or_the_memory, ()) {
  const Device device = any_device();
  const auto size = [] { return *rc::gen::inRange<int64_t>(1, 20'000); };
  const Work work = product(*rc::gen::inRange(1, 65), size(), size(), size());
  const double time = in_seconds(Roofline().duration(work, device));
  RC_ASSERT(time * device.peak_at(DType::bf16)->flops_per_s >= work.flops);
  RC_ASSERT(time * device.memory_bandwidth.bytes_per_s >=
            static_cast<double>((work.read + work.written).count));
}

// Rows stay as well aligned as they are; one that becomes aligned takes less.
RC_GTEST_PROP(RooflineLaws, a_longer_product_never_takes_less_time, ()) {
  const Device device = any_device();
  std::array<int64_t, 3> size;
  for (int64_t& s : size) s = *rc::gen::inRange<int64_t>(1, 20'000);
  const Work work = product(1, size[0], size[1], size[2]);
  size[static_cast<size_t>(*rc::gen::inRange(0, 3))] += 8 * *rc::gen::inRange<int64_t>(1, 600);
  Work longer = product(1, size[0], size[1], size[2]);
  longer.direction = work.direction;
  RC_ASSERT(Roofline().duration(longer, device) >= Roofline().duration(work, device));
}

RC_GTEST_PROP(RooflineLaws, attention_never_beats_the_peak, ()) {
  const Device device = any_device();
  Work work{.kernel = Kernel::attention, .dtype = DType::bf16};
  for (int64_t& s : work.shape) s = *rc::gen::inRange<int64_t>(1, 5'000);
  work.flops = static_cast<double>(work.shape[0] * work.shape[1] * work.shape[2]) *
               static_cast<double>(work.shape[3]) * *rc::gen::inRange(1, 10'000);
  const double time = in_seconds(Roofline().duration(work, device));
  RC_ASSERT(time * device.peak_at(DType::bf16)->flops_per_s >= work.flops * (1 - 1e-9));
}

/// The shipped profiles with their devices.
const std::vector<std::pair<Device, ProfileCost>>& measured_devices() {
  static const auto all = [] {
    std::vector<std::pair<Device, ProfileCost>> devices;
    const config::Catalogue catalogue;
    for (const std::string& name : catalogue.names("profiles")) {
      const Device device = read_device(config::scalar(name), catalogue);
      Profile profile = *profile_of(device, catalogue);
      if (!profile.gemm.empty()) devices.emplace_back(device, ProfileCost(std::move(profile)));
    }
    return devices;
  }();
  return all;
}

RC_GTEST_PROP(ProfileLaws, no_kernel_beats_the_peak_or_the_memory, ()) {
  const auto& [device, cost] = *rc::gen::elementOf(measured_devices());
  const auto size = [] { return *rc::gen::inRange<int64_t>(1, 100'000); };
  const Work work = product(*rc::gen::element(1, 1, 64), size(), size(), size());
  const double time = in_seconds(cost.duration(work, device));
  RC_ASSERT(time * device.peak_at(DType::bf16)->flops_per_s >= work.flops * (1 - 1e-9));
  RC_ASSERT(time * device.memory_bandwidth.bytes_per_s >=
            static_cast<double>((work.read + work.written).count) * (1 - 1e-9));
}

RC_GTEST_PROP(ProfileLaws, attention_of_any_shape_has_a_time_and_backward_is_longer, ()) {
  const auto& [device, cost] = *rc::gen::elementOf(measured_devices());
  Work work{.kernel = Kernel::attention, .dtype = DType::bf16};
  work.shape = {*rc::gen::inRange(1, 64), *rc::gen::inRange(1, 128), *rc::gen::inRange(1, 20'000),
                *rc::gen::inRange(1, 300)};
  const double rows = static_cast<double>(work.shape[0] * work.shape[1] * work.shape[2]) *
                      static_cast<double>(work.shape[3]);
  work.flops = 2 * rows * static_cast<double>(work.shape[2] + 1);
  work.read = Bytes{static_cast<int64_t>(6 * rows)};
  work.written = Bytes{static_cast<int64_t>(2 * rows)};
  const Time forward = cost.duration(work, device);
  work.direction = Direction::input_gradient;
  work.flops *= 2.5;
  RC_ASSERT(forward > Time{});
  RC_ASSERT(cost.duration(work, device) >= forward);
}

}  // namespace
}  // namespace pipewright
