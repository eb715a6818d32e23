// The reader of PipeDream's profiles on any bytes: it reads them or says what is wrong.
#include <cstddef>
#include <cstdint>

#include "base/error.hpp"
#include "interop/pipedream.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pipewright;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    for (const PipeDreamLayer& layer : read_pipedream(text, "graph.txt"))
      ensure(layer.forward_ms >= 0 && layer.boundary_bytes >= 0, "a time or a size below zero");
  } catch (const InputError&) {
  }
  return 0;
}
