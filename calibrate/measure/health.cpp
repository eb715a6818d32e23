// NVML is opened when it is asked for: it comes with the driver, and most machines have none. Names
// and numbers: NVIDIA, NVML API reference (nvmlDeviceGet..., nvmlClocksThrottleReason...).
#include "calibrate/measure/health.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

namespace pipewright::calibration {
namespace {

using Handle = void*;
constexpr int success = 0;
constexpr unsigned processor_clock = 1, on_die = 0;    // NVML_CLOCK_SM, NVML_TEMPERATURE_GPU
constexpr unsigned uncorrected = 1, since_driver = 0;  // NVML_..._UNCORRECTED, VOLATILE_ECC
constexpr std::pair<unsigned long long, std::string_view> reasons[] = {
    {0x04, "power"},       {0x08, "hardware"},    {0x20, "temperature"},
    {0x40, "temperature"}, {0x80, "power-brake"},
};

class Nvml {
 public:
  Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW), close) {
    ready_ = library_ && call<>("nvmlInit_v2");
  }
  ~Nvml() {
    if (ready_) call<>("nvmlShutdown");
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  bool ready() const { return ready_; }

  /// Calls the function; false where there is none, or it fails.
  template <class... Parameters>
  bool call(const char* name, Parameters... parameters) const {
    using Function = int (*)(Parameters...);
    const auto function = reinterpret_cast<Function>(dlsym(library_.get(), name));
    return function && function(parameters...) == success;
  }

 private:
  static void close(void* library) {
    if (library) dlclose(library);
  }
  std::unique_ptr<void, void (*)(void*)> library_;
  bool ready_ = false;
};

/// CUDA_VISIBLE_DEVICES lists numbers or UUIDs; without it the first GPU is number 0.
Handle first_visible(const Nvml& nvml) {
  const char* given = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::string visible = given ? given : "0";
  const std::string first = visible.substr(0, visible.find(','));
  Handle handle = nullptr;
  if (first.starts_with("GPU-"))
    nvml.call<const char*, Handle*>("nvmlDeviceGetHandleByUUID", first.c_str(), &handle);
  else
    nvml.call<unsigned, Handle*>("nvmlDeviceGetHandleByIndex_v2",
                                 static_cast<unsigned>(std::atoi(first.c_str())), &handle);
  return handle;
}

std::string words_of(unsigned long long held) {
  std::string words;
  for (const auto& [bit, word] : reasons)
    if ((held & bit) && words.find(word) == std::string::npos)
      words += (words.empty() ? "" : "+") + std::string(word);
  return words;
}

}  // namespace

std::optional<Health> gpu_health() {
  const Nvml nvml;
  if (!nvml.ready()) return std::nullopt;
  const Handle gpu = first_visible(nvml);
  if (!gpu) return std::nullopt;
  std::array<char, 96> uuid{};
  unsigned clock = 0, most = 0, temperature = 0;
  unsigned long long held = 0, ecc = 0;
  nvml.call<Handle, char*, unsigned>("nvmlDeviceGetUUID", gpu, uuid.data(), uuid.size() - 1);
  nvml.call<Handle, unsigned, unsigned*>("nvmlDeviceGetClockInfo", gpu, processor_clock, &clock);
  nvml.call<Handle, unsigned, unsigned*>("nvmlDeviceGetMaxClockInfo", gpu, processor_clock, &most);
  nvml.call<Handle, unsigned, unsigned*>("nvmlDeviceGetTemperature", gpu, on_die, &temperature);
  nvml.call<Handle, unsigned long long*>("nvmlDeviceGetCurrentClocksThrottleReasons", gpu, &held);
  nvml.call<Handle, unsigned, unsigned, unsigned long long*>("nvmlDeviceGetTotalEccErrors", gpu,
                                                             uncorrected, since_driver, &ecc);
  return Health{.uuid = uuid.data(),
                .clock_mhz = static_cast<int>(clock),
                .most_clock_mhz = static_cast<int>(most),
                .temperature_c = static_cast<int>(temperature),
                .throttled = words_of(held),
                .ecc_errors = static_cast<int64_t>(ecc)};
}

}  // namespace pipewright::calibration
