// The reader of the PyTorch profiler's traces on any bytes: it reads them or says what is wrong.
#include <cstddef>
#include <cstdint>

#include "base/error.hpp"
#include "interop/kernel_times.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pipewright;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    for (const KernelTimes& kernel : read_kineto(text, "trace.json"))
      ensure(!kernel.seconds.empty(), "a kernel without a launch");
  } catch (const InputError&) {
  }
  return 0;
}
