#include "topology/device.hpp"

#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "error_of.hpp"

namespace pipewright {
namespace {

Device device_of(std::string_view yaml) {
  return read_device(config::parse(yaml, "device.yaml"), config::Catalogue());
}

TEST(Device, the_data_sheet_of_a_catalogue_device) {
  const Device a100 = device_of("a100-sxm-80g");
  EXPECT_EQ(a100.kind, DeviceKind::gpu);
  EXPECT_DOUBLE_EQ(a100.peak_at(DType::bf16)->flops_per_s, 312e12);
  EXPECT_EQ(a100.peak_at(DType::fp8), std::nullopt);
  EXPECT_DOUBLE_EQ(a100.memory_bandwidth.bytes_per_s, 2039e9);
  EXPECT_DOUBLE_EQ(a100.host_bandwidth.bytes_per_s, 31e9);
  EXPECT_EQ(a100.processors, 108);
}

TEST(Device, what_is_not_given_is_unbounded_or_free) {
  const Device device = device_of("{flops: {bf16: 100 TFLOP/s}}");
  EXPECT_EQ(device.memory.count, INT64_MAX);
  EXPECT_EQ(device.memory_bandwidth.bytes_per_s, std::numeric_limits<double>::infinity());
  EXPECT_EQ(device.launch_overhead, Time{});
  EXPECT_EQ(device.operating.price_per_hour, 0);
}

TEST(Device, a_change_that_decides_kernel_times_changes_the_name) {
  EXPECT_EQ(device_of("{base: h100-sxm, price_per_hour: 2.5, memory: 96 GiB}").name, "h100-sxm");
  EXPECT_EQ(device_of("{base: h100-sxm, memory_bandwidth: 4 TB/s}").name, "h100-sxm (changed)");
  EXPECT_EQ(device_of("{base: {base: h100-sxm, flops: {bf16: 1 PFLOP/s}}, power: 1 kW}").name,
            "h100-sxm (changed)");
}

TEST(Device, a_changed_peak_leaves_the_others) {
  const Device device = device_of("{base: h100-sxm, flops: {bf16: 1 PFLOP/s}}");
  EXPECT_DOUBLE_EQ(device.peak_at(DType::bf16)->flops_per_s, 1e15);
  EXPECT_DOUBLE_EQ(device.peak_at(DType::fp8)->flops_per_s, 1979e12);
}

TEST(Device, what_products_reach_is_a_share_of_a_peak_there_is) {
  const Device device =
      device_of("{flops: {fp32: 15 TFLOP/s, fp16: 125 TFLOP/s}, reached: {fp16: 0.87}}");
  EXPECT_EQ(device.reached[static_cast<size_t>(DType::fp16)], 0.87);
  EXPECT_EQ(device.reached[static_cast<size_t>(DType::fp32)], std::nullopt);
  EXPECT_EQ(device_of("{base: v100-sxm2-16g, reached: {fp16: 0.8}}").name,
            "v100-sxm2-16g (changed)");
  EXPECT_NE(test::error_of([] {
              device_of("{flops: {fp16: 1 TFLOP/s}, reached: {bf16: 0.9}}");
            }).find("reached: 'flops' has no peak for bf16"),
            std::string::npos);
  EXPECT_NE(test::error_of([] {
              device_of("{flops: {fp16: 1 TFLOP/s}, reached: {fp16: 1.2}}");
            }).find("device.yaml:1:"),
            std::string::npos);
}

TEST(Device, the_peak_of_an_fpga_is_two_flops_a_slice_and_clock) {
  const Device vcu118 = device_of("vcu118");
  EXPECT_EQ(vcu118.kind, DeviceKind::fpga);
  EXPECT_DOUBLE_EQ(vcu118.peak_at(DType::fp16)->flops_per_s,
                   2.0 * vcu118.fpga.dsp_slices * vcu118.fpga.clock_hz);
}

TEST(Device, a_clock_decides_the_rates_that_flops_does_not) {
  const Device faster = device_of("{base: vcu118, clock_hz: 300e6}");
  EXPECT_DOUBLE_EQ(faster.peak_at(DType::fp16)->flops_per_s, 2.0 * 6840 * 300e6);
  EXPECT_DOUBLE_EQ(faster.peak_at(DType::fp32)->flops_per_s, 0.5 * 6840 * 300e6);
  const Device own = device_of("{base: vcu118, flops: {fp16: 5 TFLOP/s}, clock_hz: 300e6}");
  EXPECT_DOUBLE_EQ(own.peak_at(DType::fp16)->flops_per_s, 5e12);
  EXPECT_DOUBLE_EQ(own.peak_at(DType::fp32)->flops_per_s, 0.5 * 6840 * 300e6);
}

TEST(Device, what_only_an_fpga_has_is_refused_elsewhere) {
  EXPECT_EQ(test::error_of([] { device_of("{base: h100-sxm, on_chip: 1 GiB}"); }),
            "device.yaml:1:27: error: on_chip: only a device of 'kind: fpga' has it");
  EXPECT_EQ(test::error_of([] { device_of("{flops: {fp16: 1 TFLOP/s}, dsp_slices: 9}"); }),
            "device.yaml:1:40: error: dsp_slices: only a device of 'kind: fpga' has it");
  EXPECT_EQ(test::error_of([] { device_of("{kind: fpga, clock_hz: 1e8}"); }),
            "device.yaml:1:24: error: clock_hz means nothing without dsp_slices: their product is "
            "the rate");
}

TEST(Device, flops_are_needed_and_their_types_known) {
  EXPECT_EQ(test::error_of([] { device_of("{memory: 80 GiB}"); }),
            "device.yaml:1:1: error: a device needs the key 'flops'");
  EXPECT_EQ(test::error_of([] { device_of("{flops: {bf61: 1 TFLOP/s}}"); }),
            "device.yaml:1:10: error: unknown key 'bf61'; did you mean 'bf16'?");
}

}  // namespace
}  // namespace pipewright
