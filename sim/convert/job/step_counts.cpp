#include "convert/job/step_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interop/words.hpp"

namespace pipewright::job {
namespace {

using config::Value;

/// Calls `visit` with each number at `path`, which passes through the items of lists by '*'.
template <class Visit>
void each_number(Value& value, std::string_view path, const Visit& visit) {
  if (path.empty()) {
    if (value.is_scalar()) visit(value);
    return;
  }
  const size_t dot = path.find('.');
  const std::string_view key = path.substr(0, dot);
  const std::string_view rest = dot == std::string_view::npos ? "" : path.substr(dot + 1);
  if (key == "*") {
    for (Value& item : value.items) each_number(item, rest, visit);
  } else if (Value* inner = value.is_map() ? value.find(key) : nullptr) {
    each_number(*inner, rest, visit);
  }
}

}  // namespace

void carry_step(Import& import, std::string_view format) {
  const Value* batch = import.experiment.find("batch");
  const Value* global = batch ? batch->find("global") : nullptr;
  const Value* sequence = batch ? batch->find("sequence") : nullptr;
  if (!global || !sequence) return;
  constexpr double most = 1e15;
  const double tokens = config::as_number(*global, 0, most) * config::as_number(*sequence, 0, most);
  Value* own = import.carried.is_map() ? import.carried.find(format) : nullptr;
  if (!own) own = &import.carried.set(format, {});
  Value& carried = own->set(step, {});
  carried.set("tokens", config::scalar(fmt::format("{:.0f}", tokens)));
  if (import.devices_assumed) carried.set("devices", config::scalar("assumed"));
}

double tokens_of_a_step(const Value& along) {
  const Value* of_job = along.is_map() ? along.find(step) : nullptr;
  const Value* tokens = of_job && of_job->is_map() ? of_job->find("tokens") : nullptr;
  return tokens ? config::as_number(*tokens, 0, 1e30) : 0;
}

void count_in_steps(Value& along, std::span<const std::string_view> paths, double tokens,
                    std::vector<std::string>& notes) {
  const double before = tokens_of_a_step(along);
  std::erase_if(along.entries, [](const config::Entry& entry) { return entry.key == step; });
  if (along.entries.empty()) along = {};
  if (before <= 0 || tokens <= 0 || before == tokens) return;
  for (const std::string_view path : paths)
    each_number(along, path, [&](Value& value) {
      std::string plain = value.text;
      std::erase(plain, '_');  // TOML and Python know digits in groups
      const auto count = interop::number_of<int64_t>(plain);
      if (!count || *count <= 1) return;
      const double scaled = std::round(static_cast<double>(*count) * before / tokens);
      const auto now = static_cast<int64_t>(std::clamp(scaled, 1.0, 1e15));
      if (now == *count) return;
      notes.push_back(fmt::format("{} is {} in place of {} steps, which have the same tokens", path,
                                  now, *count));
      value.text = std::to_string(now);
    });
}

}  // namespace pipewright::job
