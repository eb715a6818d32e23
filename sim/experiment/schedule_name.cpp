#include "experiment/schedule_name.hpp"

namespace pipewright {

std::string schedule_name(const config::Value& schedule) {
  if (schedule.is_scalar()) return schedule.text;
  std::string name, options;
  for (const config::Entry& entry : schedule.entries) {
    const config::Value& value = entry.value;
    if (entry.key == "name" || entry.key == "rules" || entry.key == "command") {
      name = value.text;
      continue;
    }
    options += options.empty() ? " (" : ", ";
    options += entry.key + " " + (value.is_scalar() ? value.text : "...");
  }
  return options.empty() ? name : name + options + ")";
}

}  // namespace pipewright
