// The reader of PyTorch's pipeline CSV on any bytes: it reads them or says what is wrong, and what
// it reads it can write and read again.
#include <cstddef>
#include <cstdint>

#include "base/error.hpp"
#include "schedule/torch_csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pipewright;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const schedule::Schedule first = schedule::read_torch_csv(text, "orders.csv");
    const std::string written = schedule::write_torch_csv(first, {});
    const schedule::Schedule second = schedule::read_torch_csv(written, "written.csv");
    ensure(first.order == second.order, "what was written is not what was read");
  } catch (const InputError&) {
  }
  return 0;
}
