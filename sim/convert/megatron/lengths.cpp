#include "convert/megatron/lengths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "interop/words.hpp"

namespace pipewright::megatron {
namespace {

using config::Value;

/// Names of Megatron-LM, Megatron Bridge (training/config.py, SchedulerConfig), NeMo 2
/// (lightning/pytorch/optim/lr_scheduler.py) and NeMo 1 (core/optim/lr_scheduler.py).
constexpr std::string_view names[] = {"lr_decay_iters",     "lr_warmup_iters",
                                      "lr_wsd_decay_iters", "lr_decay_samples",
                                      "lr_warmup_samples",  "lr_wsd_decay_samples",
                                      "warmup_steps",       "constant_steps",
                                      "decay_steps",        "max_steps"};

bool is_of_schedule(const std::string& key) {
  std::string name = key;
  std::ranges::replace(name, '-', '_');
  return std::ranges::find(names, name) != std::end(names);
}

void stretch_below(Value& map, const std::string& path, double factor,
                   std::vector<Stretched>& all) {
  for (config::Entry& entry : map.entries) {
    const std::string inner = path.empty() ? entry.key : path + '.' + entry.key;
    stretch_below(entry.value, inner, factor, all);
    const auto count = interop::number_of<int64_t>(entry.value.text);
    if (!is_of_schedule(entry.key) || !entry.value.is_scalar() || !count || *count < 1) continue;
    constexpr double most = 1e15;
    const double exact = std::clamp(static_cast<double>(*count) * factor, 1.0, most);
    const int64_t now = std::llround(exact);
    if (now == *count) continue;
    all.push_back({inner, entry.value.text, std::to_string(now)});
    entry.value.text = all.back().now;
  }
}

}  // namespace

std::vector<Stretched> stretch(Value& along, int64_t before, int64_t now) {
  std::vector<Stretched> all;
  if (before > 0 && now > 0 && before != now)
    stretch_below(along, {}, static_cast<double>(now) / static_cast<double>(before), all);
  return all;
}

std::string stretched_lines(const std::vector<Stretched>& all, std::string_view length,
                            int64_t before, int64_t now) {
  std::string text;
  for (const Stretched& one : all)
    text += fmt::format("# assumed: {} is {}, not {}, as {} is {}, not {}\n", one.path, one.now,
                        one.before, length, now, before);
  return text;
}

}  // namespace pipewright::megatron
