#include "run/uncertainty.hpp"

#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "experiment/derived.hpp"
#include "network/other_jobs.hpp"
#include "program/computes.hpp"
#include "result/ranges.hpp"

namespace pipewright {
namespace {

/// The basis of an op's compute.
struct Basis {
  double all_s = 0, datasheet_s = 0;
  bool extrapolated = false;
};

class ComputeBasis {
 public:
  ComputeBasis(const Program& program, const Prices& prices) : program_(program), prices_(prices) {}

  const Basis& of(OpId id) {
    const Op& op = program_.ops[id];
    const int32_t device = program_.ranks[op.rank].device;
    const auto type_of_device = static_cast<uint32_t>(prices_.class_of(device));
    const auto [found, is_new] = bases_.try_emplace(uint64_t{op.type} << 32 | type_of_device);
    if (is_new) found->second = compute(program_.type(id), device);
    return found->second;
  }

 private:
  Basis compute(const OpType& type, int32_t device) const {
    Basis basis;
    for (const Work& work : program_.works_of(type)) {
      const double time = in_seconds(prices_.compute(work, device));
      basis.all_s += time;
      if (!prices_.kernel_trust) {
        basis.datasheet_s += time;
        continue;
      }
      const KernelUncertainty known = prices_.kernel_trust->of(work, device);
      if (!known.kind) basis.datasheet_s += time;
      basis.extrapolated = basis.extrapolated || known.extrapolated;
    }
    return basis;
  }

  const Program& program_;
  const Prices& prices_;
  std::unordered_map<uint64_t, Basis> bases_;  ///< by op type and class of device
};

/// Ops whose kernels lie outside the range that was measured, on all devices.
int64_t extrapolated_ops(const Program& program, ComputeBasis& bases) {
  int64_t count = 0;
  for (OpId id = 0; id < program.ops.size(); ++id)
    if (computes(program.type(id)) && bases.of(id).extrapolated)
      count += program.times(id) * program.ranks[program.ops[id].rank].multiplicity;
  return count;
}

/// The share of the critical path's compute that data sheets alone price.
double datasheet_share(const Program& program, const Timeline& timeline, const Metrics& metrics,
                       const Prices& prices, ComputeBasis& bases) {
  struct Path {
    OpId one = none;
    Time time;
  };
  std::map<std::pair<uint32_t, int32_t>, Path> paths;  // by type and class of device
  for (const OpId id : metrics.critical_path.ops) {
    if (!computes(program.type(id))) continue;
    const Span& span = timeline.spans[id];
    const int32_t device_class = prices.class_of(program.ranks[program.ops[id].rank].device);
    Path& path = paths[{program.ops[id].type, device_class}];
    path.one = id;
    path.time += timeline.times(program.ops[id].rank, span) * (span.end - span.start);
  }
  double all = 0, datasheet = 0;
  for (const auto& [of, path] : paths) {
    const Basis& basis = bases.of(path.one);
    if (basis.all_s <= 0) continue;
    all += in_seconds(path.time);
    datasheet += in_seconds(path.time) * basis.datasheet_s / basis.all_s;
  }
  return all > 0 ? datasheet / all : 1;
}

int node_count(const Prepared& prepared) {
  if (!prepared.links.topology) return 1;
  std::set<NodeId> nodes;
  for (const Mesh& mesh : prepared.grid.meshes)
    for (const int32_t device : mesh.devices) nodes.insert(prepared.links.topology->node(device));
  return std::max<int>(1, static_cast<int>(nodes.size()));
}

/// Returns the share of so many nodes that is beyond those over which the network was measured.
double beyond_measured(int nodes, int measured) {
  return measured == 0 || nodes <= measured ? 0 : 1 - double(measured) / nodes;
}

/// `time` as a multiple of itself, on the clock.
Time times(Time time, double factor) { return seconds(in_seconds(time) * factor); }

/// `anchor` is null where none serves.
Uncertainty around(Time iteration, const Regime& regime, const Anchor* anchor = nullptr) {
  const KnownRange known = anchor ? anchored_range_of(regime, *anchor) : range_of(regime);
  return {.p10 = times(iteration, known.range.low),
          .p90 = times(iteration, known.range.high),
          .regime = regime,
          .basis = known.basis};
}

}  // namespace

Uncertainty uncertainty(const Experiment& experiment, const Prepared& prepared,
                        const Program& program, const Timeline& timeline, const Metrics& metrics) {
  ComputeBasis bases(program, prepared.prices);
  Regime regime{.framework = framework_of_regime(experiment),
                .device = prepared.devices.name(),
                .precision = std::string(name_of(experiment.precision)),
                .nodes = node_count(prepared)};
  const double whole = in_seconds(metrics.breakdown.total());
  if (regime.framework != "given")
    regime.datasheet = datasheet_share(program, timeline, metrics, prepared.prices, bases);
  if (prepared.links.topology) regime.busy = busy_factor(*prepared.links.topology, regime.nodes);
  regime.beyond_measured = beyond_measured(regime.nodes, prepared.prices.measured_nodes);
  if (whole > 0) {
    regime.exposed = in_seconds(metrics.breakdown.communicating()) / whole;
    regime.host = in_seconds(metrics.breakdown.host) / whole;
    regime.bubble = in_seconds(metrics.breakdown.bubble) / whole;
  }
  Uncertainty result =
      around(metrics.iteration, regime, experiment.anchor ? &*experiment.anchor : nullptr);
  if (prepared.prices.kernel_trust) result.extrapolated_ops = extrapolated_ops(program, bases);
  return result;
}

Uncertainty uncertainty_of_given(Time iteration) {
  return around(iteration, {.framework = "given"});
}

}  // namespace pipewright
