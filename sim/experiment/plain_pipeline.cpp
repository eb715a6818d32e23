#include "experiment/plain_pipeline.hpp"

#include "schedule/kinds/kinds.hpp"

namespace pipewright {

std::optional<Pipeline> Pipeline::of(const config::Value& schedule,
                                     std::optional<int> virtual_stages) {
  std::string_view name = schedule.text;
  std::optional<int> chunks = virtual_stages;
  for (const config::Entry& entry : schedule.entries) {
    const bool known = entry.key == "name" || entry.key == "virtual";
    if (!known || !entry.value.is_scalar()) return std::nullopt;
    if (entry.key == "name") {
      name = entry.value.text;
      continue;
    }
    const auto given = static_cast<int>(config::as_int(entry.value, 1, 1 << 20));
    if (given != chunks.value_or(given)) return std::nullopt;
    chunks = given;
  }
  const schedule::Kind* kind = schedule::find_kind(name);
  if (!kind || !kind->plain) return std::nullopt;
  if (!kind->takes("virtual") && chunks.value_or(1) != 1) return std::nullopt;
  return Pipeline{kind->plain, chunks.value_or(kind->plain->chunks)};
}

}  // namespace pipewright
