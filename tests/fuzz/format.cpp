// One format of sim/convert/formats, FORMAT, on any bytes: it reads them or says what is wrong.
// Compiled once for each name of the list there.
#include <cstddef>
#include <cstdint>

#include "base/error.hpp"
#include "convert/formats/registry.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pipewright;
  try {
    convert::fuzz(convert::format::FORMAT, {reinterpret_cast<const char*>(data), size});
  } catch (const InputError&) {  // the one way in which input may fail
  }
  return 0;
}
