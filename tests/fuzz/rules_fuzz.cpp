// Rules files of any kind: read, built for a few shapes, and refused only with an InputError.
#include <array>
#include <cstddef>
#include <cstdint>

#include "schedule/rules/rules.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pipewright;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& [ranks, micro_batches, iterations] :
       {std::array{1, 1, 1}, {2, 3, 2}, {4, 8, 1}}) {
    try {
      config::Value spec;
      spec.set("rules", config::parse(text, "rules.yaml"));
      if (!spec.find("rules")->is_map()) return 0;  // a scalar would name a file
      schedule::build_from_rules(
          {.ranks = ranks, .micro_batches = micro_batches, .iterations = iterations}, spec,
          {.pieces = 20'000, .steps = 2'000'000});
    } catch (const InputError&) {
    }
  }
  return 0;
}
