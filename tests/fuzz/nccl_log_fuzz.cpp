// The readers of measured collectives on any bytes: they read them or say what is wrong.
#include <cstddef>
#include <cstdint>

#include "base/error.hpp"
#include "interop/nccl_points.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pipewright;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    for (const interop::NcclPoint& point : interop::read_nccl_points(text, "x.log")) {
      ensure(point.ranks > 0 && point.nodes > 0 && point.bytes.count >= 0, "a count below zero");
      ensure(point.time_s > 0 && point.element_bytes > 0, "nothing takes no time");
    }
  } catch (const InputError&) {
  }
  return 0;
}
