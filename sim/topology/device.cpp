#include "topology/device.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/catalogue.hpp"
#include "topology/link.hpp"

namespace pipewright {
namespace {

constexpr std::string_view dtype_names[dtype_count] = {"fp32", "tf32", "fp16",
                                                       "bf16", "fp8",  "nvfp4"};

constexpr std::string_view decide_kernel_times[] = {
    "flops", "memory_bandwidth", "launch_overhead", "processors", "cache", "dsp_slices", "clock_hz",
    "kind",  "library",          "reached"};

bool changes_kernel_times(const config::Value& value) {
  const config::Value* base = value.find("base");
  return std::any_of(std::begin(decide_kernel_times), std::end(decide_kernel_times),
                     [&](std::string_view key) { return value.find(key) != nullptr; }) ||
         (base && changes_kernel_times(*base));
}

std::string device_name(const config::Value& value) {
  if (const config::Value* name = value.find("name")) return config::as_text(*name, "a name");
  const std::optional<std::string> base = config::name_of(value);
  return base.value_or("device") + (base && changes_kernel_times(value) ? " (changed)" : "");
}

void read_peaks(Device& device, const config::Value& flops) {
  const config::Fields fields(flops, "flops", {dtype_names, dtype_names + dtype_count});
  for (size_t i = 0; i < dtype_count; ++i) {
    if (const config::Value* rate = fields.find(dtype_names[i]))
      device.peak[i] = config::as_flop_rate(*rate);
  }
}

void read_reached(Device& device, const config::Value& shares) {
  const config::Fields fields(shares, "reached", {dtype_names, dtype_names + dtype_count});
  for (size_t i = 0; i < dtype_count; ++i) {
    const config::Value* share = fields.find(dtype_names[i]);
    if (!share) continue;
    device.reached[i] = config::as_number(*share, 0.01, 1);
    if (!device.peak[i])
      share->fail(fmt::format("reached: 'flops' has no peak for {}", dtype_names[i]));
  }
}

/// Reads the DSP slices and what designs make of them: a multiply-add in fp16 each and clock, a
/// quarter of it in fp32. They decide where `flops` does not.
void read_dsp_slices(Device& device, const config::Fields& fields) {
  if (device.kind != DeviceKind::fpga) {
    for (const char* key : {"dsp_slices", "clock_hz", "on_chip"})
      if (const config::Value* value = fields.find(key))
        value->fail(fmt::format("{}: only a device of 'kind: fpga' has it", key));
    return;
  }
  device.fpga.dsp_slices = static_cast<int>(fields.integer("dsp_slices", 0, 0, 10'000'000));
  device.fpga.clock_hz = fields.real("clock_hz", 0, 0, 1e12);
  device.fpga.on_chip = fields.bytes("on_chip", {});
  for (const auto& [key, other] : {std::pair{"dsp_slices", "clock_hz"}, {"clock_hz", "dsp_slices"}})
    if (const config::Value* value = fields.find(key); value && !fields.find(other))
      value->fail(
          fmt::format("{} means nothing without {}: their product is the rate", key, other));
  const double rate = 2 * device.fpga.dsp_slices * device.fpga.clock_hz;
  if (rate == 0) return;
  device.peak[static_cast<size_t>(DType::fp16)] = FlopRate{rate};
  device.peak[static_cast<size_t>(DType::fp32)] = FlopRate{rate / 4};
}

std::string tuning_name(const config::Value& value, const config::Catalogue& catalogue) {
  std::string name = config::as_text(value, "a tuning of NCCL");
  catalogue.resolve("nccl", value);
  return name;
}

void read_host_link(Device& device, const config::Value& value,
                    const config::Catalogue& catalogue) {
  const LinkType link = read_link(value, catalogue);
  device.host_bandwidth = link.bandwidth;
  device.host_latency = link.latency;
}

}  // namespace

Device read_device(const config::Value& value, const config::Catalogue& catalogue) {
  const config::Value entry = catalogue.resolve("devices", value);
  const config::Fields fields(entry, "a device",
                              {"flops",
                               "memory",
                               "memory_bandwidth",
                               "launch_overhead",
                               "kind",
                               "host_link",
                               "copy_engines",
                               "processors",
                               "cache",
                               "power",
                               "idle_power",
                               "price_per_hour",
                               "dsp_slices",
                               "clock_hz",
                               "on_chip",
                               "name",
                               "description",
                               "source",
                               "verified",
                               "notes",
                               "library",
                               "reached",
                               "nccl"});
  Device device;
  device.name = device_name(value);
  device.description = fields.text("description", "");
  device.source = fields.text("source", "");
  if (const config::Value* kind = fields.find("kind"))
    device.kind = static_cast<DeviceKind>(config::as_choice(*kind, {"gpu", "fpga", "cpu"}));
  if (const config::Value* library = fields.find("library"))
    device.library =
        static_cast<MatrixLibrary>(config::as_choice(*library, {"cublas", "rocblas", "xla"}));
  if (const config::Value* nccl = fields.find("nccl")) device.nccl = tuning_name(*nccl, catalogue);
  read_dsp_slices(device, fields);
  const bool has_peak = device.peak_at(DType::fp16).has_value();
  if (const config::Value* flops = has_peak ? fields.find("flops") : &fields.at("flops"))
    read_peaks(device, *flops);
  if (const config::Value* shares = fields.find("reached")) read_reached(device, *shares);
  device.memory = fields.bytes("memory", device.memory);
  if (const config::Value* rate = fields.find("memory_bandwidth"))
    device.memory_bandwidth = config::as_bandwidth(*rate);
  device.launch_overhead = fields.time("launch_overhead", {});
  if (const config::Value* link = fields.find("host_link"))
    read_host_link(device, *link, catalogue);
  device.copy_engines = static_cast<int>(fields.integer("copy_engines", 1, 0, 64));
  device.processors = static_cast<int>(fields.integer("processors", 0, 1, 1'000'000));
  device.cache = fields.bytes("cache", {});
  if (const config::Value* power = fields.find("power"))
    device.operating.watts = config::as_watts(*power);
  if (const config::Value* power = fields.find("idle_power"))
    device.operating.idle_watts = config::as_watts(*power);
  device.operating.price_per_hour = fields.real("price_per_hour", 0, 0, 1e6);
  return device;
}

}  // namespace pipewright
