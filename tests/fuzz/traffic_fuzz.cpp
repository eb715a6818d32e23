// Any bytes are flows between devices that are there, of no less than nothing, or an InputError.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "traffic/traffic.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pipewright;
  constexpr int devices = 16;
  try {
    for (const GivenFlow& flow :
         read_flow_table({reinterpret_cast<const char*>(data), size}, "fuzz.csv", devices)) {
      ensure(flow.from >= 0 && flow.from < devices && flow.to >= 0 && flow.to < devices,
             "a device that is not there");
      ensure(flow.bytes >= Bytes{} && flow.start >= Time{}, "less than nothing");
    }
  } catch (const InputError&) {  // it is not a table of flows
  } catch (const Failure&) {     // it is one of times beyond the clock
  }
  return 0;
}
