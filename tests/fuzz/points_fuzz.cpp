// Any bytes are the points of a profile, which are written as they were read, or an InputError.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.hpp"
#include "cost/points.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pipewright;
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::string written = to_text(parse_points(text, "fuzz.points"));
    ensure(to_text(parse_points(written, "written.points")) == written, "another text");
  } catch (const InputError&) {
  }
  return 0;
}
