#include "run/compute_detail.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "run/kernel_shape.hpp"
#include "run/priced_shares.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {
namespace {

/// Kernels that take less than this part of their op wait for their host; rounding is above it.
constexpr double all_of_an_op = 0.999;

/// The ops of one type that a rank runs.
struct RunsOfType {
  Time time;                      ///< in the window
  int64_t runs = 0;               ///< in the window
  double seconds = 0, count = 0;  ///< of an iteration
  OpId one = none;
};

/// Returns what is counted as one kernel: of those that run in turn, each. Bytes tell its shape
/// where it is no product.
Work counted(const Work& work) {
  if (!work.in_turn) return work;
  Work one = one_of(work);
  if (one.kernel != Kernel::gemm) one.shape[0] = 0;
  return one;
}

/// Sums up the compute of one rank.
class RankDetail {
 public:
  RankDetail(const Prepared& prepared, const Program& program, uint32_t rank)
      : prepared_(prepared),
        program_(program),
        device_(program.ranks[rank].device),
        shares_(program, prepared.prices) {
    for (const NamedLayer& layer : prepared.work.named_layers)
      layers_.push_back({.name = layer.name,
                         .stage = layer.stage,
                         .activation = layer.activation,
                         .parameters = layer.parameters});
  }

  void add(const RunsOfType& runs) {
    const OpType& type = program_.type(runs.one);
    const std::vector<double> parts = shares_.of_works(runs.one);
    double busy = 0, launches = 0;
    for (const double part : parts) busy += part;
    for (const Work& work : program_.works_of(type)) launches += as_double(work.kernels());
    if (busy <= 0) return add_rest(type, runs.seconds);
    size_t k = 0;
    for (const Work& work : program_.works_of(type)) {
      const double part = parts[k++], seconds = runs.seconds * part;
      all_s_ += seconds;
      add_layer(type, work.origin, seconds);
      // Of what waits for its host, kernels wait that are shorter than it takes for one.
      const bool waits = busy < all_of_an_op && part / as_double(work.kernels()) < 1 / launches;
      add_kernel(work, runs.count, seconds, waits);
    }
  }

  /// `computing_s` is what all of it adds up to; each op was rounded to picoseconds.
  ComputeDetail take(double computing_s) {
    ComputeDetail detail;
    const double exact = all_s_ > 0 ? computing_s / all_s_ : 1;
    for (auto& [name, layer] : others_) layers_.push_back(std::move(layer));
    for (LayerTime& layer : layers_) {
      if (layer.forward_s == 0 && layer.backward_s == 0) continue;
      layer.forward_s *= exact;
      layer.backward_s *= exact;
      detail.layers.push_back(std::move(layer));
    }
    for (auto& [key, kernel] : kernels_) {
      kernel.share = kernel.time_s / all_s_;
      kernel.time_s *= exact;
      detail.kernels.push_back(std::move(kernel));
    }
    std::ranges::stable_sort(detail.kernels, std::ranges::greater(), &KernelTime::time_s);
    return detail;
  }

 private:
  void add_layer(const OpType& type, Origin origin, double seconds) {
    if (origin.layer < 0) return add_to_no_layer(type, seconds);
    LayerTime& layer = layers_[static_cast<size_t>(origin.layer)];
    (origin.purpose == Purpose::forward ? layer.forward_s : layer.backward_s) += seconds;
  }

  void add_to_no_layer(const OpType& type, double seconds) {
    const bool step = type.kind == OpKind::step;
    LayerTime& row = others_[step ? "optimizer" : fmt::format("stage {}", type.stage)];
    row.name = step ? "optimizer" : fmt::format("stage {}", type.stage);
    row.stage = type.stage;
    const bool forward = !step && type.pass == schedule::Pass::forward;
    (forward ? row.forward_s : row.backward_s) += seconds;
  }

  /// Ops whose kernels take no time by themselves: a trace's, or one without kernels.
  void add_rest(const OpType& type, double seconds) {
    if (seconds <= 0) return;
    all_s_ += seconds;
    add_to_no_layer(type, seconds);
    KernelTime& kernel = kernels_["fixed"];
    kernel.kernel = "fixed";
    kernel.time_s += seconds;
    kernel.origin = TimeOrigin::given;
  }

  void add_kernel(const Work& work, double count, double seconds, bool host_bound) {
    const std::string shape = work.kernel == Kernel::fixed ? "" : shape_name(counted(work));
    KernelTime& kernel = kernels_[fmt::format("{} {}", name_of(work.kernel), shape)];
    kernel.kernel = name_of(work.kernel);
    kernel.shape = shape;
    kernel.count += static_cast<int64_t>(count * static_cast<double>(work.kernels()) + 0.5);
    kernel.time_s += seconds;
    kernel.bound = host_bound ? KernelBound::launch : bound_of(work);
    kernel.origin = origin_of(work);
  }

  KernelBound bound_of(const Work& work) const {
    const Device* device = prepared_.devices.device(device_);
    const auto peak = device ? device->peak_at(prepared_.devices.precision) : std::nullopt;
    if (!peak || device->memory_bandwidth.bytes_per_s <= 0) return KernelBound::compute;
    const auto bytes = static_cast<double>((work.read + work.written).count);
    const bool computes =
        work.flops / peak->flops_per_s >= bytes / device->memory_bandwidth.bytes_per_s;
    return computes ? KernelBound::compute : KernelBound::memory;
  }

  TimeOrigin origin_of(const Work& work) const {
    if (work.kernel == Kernel::fixed && work.origin.layer < 0) return TimeOrigin::given;
    if (!prepared_.prices.kernel_trust) return TimeOrigin::datasheet;
    const KernelUncertainty trust = prepared_.prices.kernel_trust->of(work, device_);
    if (!trust.kind) return TimeOrigin::datasheet;
    return trust.extrapolated ? TimeOrigin::fitted : TimeOrigin::measured;
  }

  const Prepared& prepared_;
  const Program& program_;
  int32_t device_;
  PricedShares shares_;
  double all_s_ = 0;
  std::vector<LayerTime> layers_;
  std::map<std::string, LayerTime> others_;
  std::map<std::string, KernelTime> kernels_;
};

/// The ops that the lanes of `rank` run in the window, by type.
std::map<uint32_t, RunsOfType> runs_by_type(const Program& program, const Timeline& timeline,
                                            const Window& window, uint32_t rank) {
  std::map<uint32_t, RunsOfType> runs;
  const Time first = timeline.folded(rank, window.begin);
  const Time last = timeline.folded(rank, window.end);
  double servers = 0;
  for (LaneId lane = 0; lane < program.lanes.size(); ++lane) {
    if (program.lanes[lane].rank != rank || !computes(program.lanes[lane].stream)) continue;
    ++servers;
    for (const OpId op : program.order(lane)) {
      const OpKind kind = program.type(op).kind;
      if (kind != OpKind::compute && kind != OpKind::step) continue;
      const Span& span = timeline.spans[op];
      const Time start = std::clamp(span.start, first, last);
      const Time end = std::clamp(span.end, start, last);
      if (end == start) continue;
      RunsOfType& of_type = runs[program.ops[op].type];
      of_type.time += timeline.times(rank, span) * (end - start);
      of_type.runs += timeline.times(rank, span);
      of_type.one = op;
    }
  }
  const double iterations = in_seconds(window.end - window.begin) / in_seconds(window.length);
  for (auto& [type, of_type] : runs) {
    of_type.seconds = in_seconds(of_type.time) / (iterations * servers);
    of_type.count = as_double(of_type.runs) / iterations;
  }
  return runs;
}

}  // namespace

void add_compute_detail(const Prepared& prepared, const Program& program, const Timeline& timeline,
                        Metrics& metrics) {
  const auto busiest = std::ranges::max_element(
      metrics.ranks, {}, [](const RankResult& rank) { return rank.breakdown.computing(); });
  if (busiest == metrics.ranks.end() || metrics.iteration == Time{}) return;
  RankDetail detail(prepared, program, busiest->simulated);
  for (const auto& [type, runs] :
       runs_by_type(program, timeline, metrics.window, busiest->simulated))
    detail.add(runs);
  metrics.detail = detail.take(in_seconds(busiest->breakdown.computing()));
}

}  // namespace pipewright
