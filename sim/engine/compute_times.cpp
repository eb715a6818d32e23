// Within a pass the ops wait whose own kernels are shorter than what their host takes
// (engine/host_load.hpp).
#include "engine/compute_times.hpp"

#include <algorithm>

namespace pipewright {
namespace {

constexpr Time unknown = picoseconds(-1);

Time device_time(std::span<const Work> works, const Prices& prices, int32_t device) {
  Time busy;
  for (const Work& work : works) busy += prices.compute(work, device);
  return busy;
}

}  // namespace

ComputeTimes::ComputeTimes(const Program& program, const Prices& prices)
    : program_(program), prices_(prices), in_pass_(program.types.size()) {
  const bool starts_passes = !prices.host.waits && !prices.host.captured_passes;
  if (prices.host.launch > Time{} && starts_passes) {
    count_ops();
    find_passes();
    collectives_ = PassCollectives(program, prices, in_pass_);
  }
}

void ComputeTimes::count_ops() {
  count_.resize(program_.types.size());
  for (OpId id = 0; id < program_.ops.size(); ++id)
    count_[program_.ops[id].type] += program_.times(id);
}

/// A pass is a run of types from its first op to its last.
void ComputeTimes::find_passes() {
  uint32_t first = none;
  for (uint32_t t = 0; t < program_.types.size(); ++t) {
    const OpType& type = program_.types[t];
    const bool inside = type.kind == OpKind::compute && !type.paired && count_[t] > 0;
    if (inside && type.first) first = t;
    if (!inside || !type.last || first == none) continue;
    passes_.resize(std::max(passes_.size(), static_cast<size_t>(type.stage) + 1));
    passes_[static_cast<size_t>(type.stage)].push_back({first, t});
    std::fill(in_pass_.begin() + first, in_pass_.begin() + t + 1, true);
    first = none;
  }
}

uint32_t ComputeTimes::kind_of(int32_t device) {
  const auto place = static_cast<size_t>(device);
  if (kind_of_.size() <= place) kind_of_.resize(place + 1, none);
  if (kind_of_[place] == none) {
    const auto next = static_cast<uint32_t>(kinds_.size());
    kind_of_[place] =
        kinds_.try_emplace({prices_.class_of(device), collectives_.unlike(device)}, next)
            .first->second;
  }
  return kind_of_[place];
}

Time ComputeTimes::of(uint32_t type, int32_t device) {
  const uint32_t kind = kind_of(device);
  if (times_.size() <= kind) times_.resize(kind + 1);
  std::vector<Time>& times = times_[kind];
  if (times.empty()) times.assign(program_.types.size(), unknown);
  if (times[type] < Time{}) {
    if (in_pass_[type])
      price_stage(program_.types[type].stage, device, times);
    else
      price_alone(type, device, times);
  }
  return times[type];
}

void ComputeTimes::price_alone(uint32_t type, int32_t device, std::vector<Time>& times) const {
  const std::span<const Work> works = program_.works_of(program_.types[type]);
  const Time busy = device_time(works, prices_, device);
  const bool captured =
      prices_.host.captured_passes && program_.types[type].kind == OpKind::compute;
  const Time issued = captured ? Time{} : host_time(works, prices_.host);
  times[type] = prices_.host.waits ? busy + issued : std::max(busy, issued);
}

ComputeTimes::Load ComputeTimes::load_of(const PassRange& pass, int32_t device,
                                         std::vector<Time>& times) const {
  Load load;
  for (uint32_t t = pass.first; t <= pass.last; ++t) {
    const OpType& type = program_.types[t];
    Time busy, issued;
    if (type.kind == OpKind::compute) {
      times[t] = busy = device_time(program_.works_of(type), prices_, device);
      issued = host_time(program_.works_of(type), prices_.host);
    } else if (type.kind == OpKind::collective && collectives_.ranks(t) > 0) {
      busy = collectives_.time(t, device);
      if (!type.captured) issued = prices_.host.starts(collectives_.ranks(t));
      load.all.stops = load.all.stops || type.tells_host;
    }
    load.lacks.push_back(issued > busy ? issued - busy : Time{});
    load.all.add(busy, issued);
  }
  return load;
}

/// Adds `part` of what the pass waits for its host to its ops, by what each lacks. What a
/// collective lacks is the wait of the op before it.
void ComputeTimes::add_wait(const PassRange& pass, const Load& load, double part,
                            std::vector<Time>& times) const {
  if (load.all.lacking == Time{}) return;
  const double wait =
      load.all.stops ? 1 : part * in_seconds(load.all.behind()) / in_seconds(load.all.lacking);
  uint32_t op = pass.first;
  for (uint32_t t = pass.first; t <= pass.last; ++t) {
    if (program_.types[t].kind == OpKind::compute) op = t;
    times[op] += seconds(wait * in_seconds(load.lacks[t - pass.first]));
  }
}

void ComputeTimes::price_stage(int32_t stage, int32_t device, std::vector<Time>& times) const {
  const std::vector<PassRange>& passes = passes_[static_cast<size_t>(stage)];
  std::vector<Load> loads;
  std::vector<HostLoad> totals;
  std::vector<double> often;
  for (const PassRange& pass : passes) {
    totals.push_back(loads.emplace_back(load_of(pass, device, times)).all);
    often.push_back(as_double(count_[pass.first]));
  }
  const double part = waiting_part(totals, often, prices_.host);
  for (size_t k = 0; k < passes.size(); ++k) add_wait(passes[k], loads[k], part, times);
}

}  // namespace pipewright
