#include "diagnose/run_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "program/names.hpp"

namespace pipewright::diagnose {
namespace {

constexpr size_t kernels_shown = 20;

double size_of(const Changed& one) { return std::abs(one.change_s()); }

/// The one that changed most first, those that changed alike by name: so both directions have the
/// same order.
void sort(std::vector<Changed>& all) {
  std::ranges::stable_sort(all, {}, &Changed::name);
  std::ranges::stable_sort(all, std::greater{}, size_of);
}

std::vector<Changed> parts_of(const Breakdown& before, const Breakdown& after) {
  std::vector<Changed> parts;
  const auto add = [&](std::string name, Time from, Time to) {
    if (from != Time{} || to != Time{})
      parts.push_back({std::move(name), in_seconds(from), in_seconds(to)});
  };
  for (size_t kind = 0; kind < compute_kinds; ++kind)
    add(name_of(static_cast<ComputeKind>(kind)), before.compute[kind], after.compute[kind]);
  for (size_t kind = 0; kind < traffic_kinds; ++kind)
    add(fmt::format("{} communication", to_string(static_cast<Traffic>(kind))),
        before.exposed[kind], after.exposed[kind]);
  add("host", before.host, after.host);
  add("bubble", before.bubble, after.bubble);
  sort(parts);
  return parts;
}

std::vector<ChangedCause> causes_of(const Diagnosis& before, const Diagnosis& after) {
  std::map<std::pair<CauseKind, std::string>, Changed> all;
  for (const Cause& cause : before.causes)
    all[{cause.kind, cause.who}].before_s += cause.recovered_s;
  for (const Cause& cause : after.causes) all[{cause.kind, cause.who}].after_s += cause.recovered_s;
  std::vector<ChangedCause> causes;
  for (auto& [key, changed] : all) {
    changed.name = key.second;
    causes.push_back({key.first, std::move(changed)});
  }
  std::ranges::stable_sort(causes, std::greater{},
                           [](const ChangedCause& one) { return size_of(one.recovered); });
  return causes;
}

std::vector<Changed> kernels_of(const Diagnosis& before, const Diagnosis& after) {
  if (before.names.empty() || after.names.empty()) return {};
  std::map<std::string, Changed> by_name;
  for (const KernelNameTime& kernel : before.names)
    by_name[kernel.name].before_s += kernel.measured_s;
  for (const KernelNameTime& kernel : after.names)
    by_name[kernel.name].after_s += kernel.measured_s;
  std::vector<Changed> kernels;
  for (auto& [name, changed] : by_name) {
    changed.name = name;
    kernels.push_back(std::move(changed));
  }
  sort(kernels);
  kernels.resize(std::min(kernels.size(), kernels_shown));
  return kernels;
}

std::vector<std::string> differences(const Diagnosis& before, const Diagnosis& after) {
  std::vector<std::string> notes;
  const auto compare = [&](std::string_view what, const auto& one, const auto& other) {
    if (one != other) notes.push_back(fmt::format("{} was {}, is {}", what, one, other));
  };
  compare("pipeline", before.parallel.pipeline, after.parallel.pipeline);
  compare("data", before.parallel.data, after.parallel.data);
  compare("tensor", before.parallel.tensor, after.parallel.tensor);
  compare("the number of micro-batches", before.micro_batches, after.micro_batches);
  compare("the schedule", before.schedule.name, after.schedule.name);
  return notes;
}

}  // namespace

RunChange change_between(const Diagnosis& before, const Diagnosis& after) {
  const TypicalStep &b = before.typical, &a = after.typical;
  return {.source = before.source,
          .measured = {"measured", b.measured_s, a.measured_s},
          .simulated = {"simulated", b.simulated_s, a.simulated_s},
          .ideal = {"ideal", b.ideal_s, a.ideal_s},
          .parts = parts_of(before.breakdown, after.breakdown),
          .causes = causes_of(before, after),
          .kernels = kernels_of(before, after),
          .notes = differences(before, after)};
}

}  // namespace pipewright::diagnose
