// Any bytes are measured kernel times that a table holds each of, or an InputError.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "cost/measured_csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pipewright;
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const PointTable& table : read_measured_csv(text, "fuzz.csv"))
      for (const Sample& sample : samples_of(table))
        ensure(sample.seconds > 0, "a kernel that takes no time");
  } catch (const InputError&) {
  }
  return 0;
}
