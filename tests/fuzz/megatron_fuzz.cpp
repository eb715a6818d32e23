// The reader of Megatron-LM's arguments on any bytes: it reads them or says what is wrong.
#include <cstddef>
#include <cstdint>

#include "base/error.hpp"
#include "convert/megatron_args.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pipewright;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const std::string yaml = to_yaml(import_megatron(text, "run.sh"));
    ensure(config::parse(yaml, "x.yaml").is_map(), "what is written can be read");
  } catch (const InputError&) {
  }
  return 0;
}
