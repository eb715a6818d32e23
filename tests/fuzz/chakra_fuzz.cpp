// Any bytes are a Chakra trace that runs or deadlocks, or an InputError. The first two bytes are
// the length of rank 0's file; the rest is rank 1's.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "interop/chakra.hpp"
#include "trace/trace.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pipewright;
  if (size < 2) return 0;
  const std::string rest(reinterpret_cast<const char*>(data) + 2, size - 2);
  const size_t first = std::min<size_t>(data[0] | data[1] << 8, rest.size());
  Prices prices;
  prices.transfer = [](int32_t, int32_t, Bytes bytes) { return picoseconds(bytes.count % 1000); };
  prices.collective = [](CollectiveKind, std::span<const int32_t>, Bytes bytes) {
    return picoseconds(bytes.count % 1000);
  };
  const std::vector<std::string> files = {rest.substr(0, first), rest.substr(first)};
  try {
    run_trace(chakra::parse(files, "fuzz"), prices);
  } catch (const InputError&) {  // no trace, a deadlock, or longer than the clock counts
  }
  return 0;
}
