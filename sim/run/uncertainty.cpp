#include "run/uncertainty.hpp"

#include <array>
#include <cmath>
#include <unordered_map>

namespace pipewright {
namespace {

constexpr double p90_of_normal = 1.2816;

/// The basis of an op's compute.
struct Basis {
  std::array<double, error_kinds> seconds{};  ///< by kind of error
  double all = 0;
  bool extrapolated = false;
};

class UncertaintySum {
 public:
  UncertaintySum(const Program& program, const Prices& prices)
      : program_(program), prices_(prices) {}

  /// Adds a span of the critical path.
  void add(OpId id, double span_s) {
    const OpType& type = program_.type(id);
    if (type.kind == OpKind::transfer || type.kind == OpKind::collective) network_s_ += span_s;
    if (!computes(type)) return;
    const Basis& basis = basis_of(id);
    if (basis.all <= 0) return;
    for (size_t kind = 0; kind < error_kinds; ++kind)
      path_s_[kind] += span_s * basis.seconds[kind] / basis.all;
  }

  int64_t extrapolated_ops() {
    int64_t count = 0;
    for (OpId id = 0; id < program_.ops.size(); ++id) {
      if (!computes(program_.type(id)) || !basis_of(id).extrapolated) continue;
      count += program_.ranks[program_.ops[id].rank].multiplicity;
    }
    return count;
  }

  double deviation_s() const {
    double sum = std::pow(network_s_ * prices_.network_error, 2);
    for (size_t kind = 0; kind < error_kinds; ++kind)
      sum += std::pow(path_s_[kind] * errors_[kind], 2);
    return std::sqrt(sum);
  }

 private:
  static bool computes(const OpType& type) {
    return type.kind == OpKind::compute || type.kind == OpKind::step;
  }

  const Basis& basis_of(OpId id) {
    const Op& op = program_.ops[id];
    const int32_t device = program_.ranks[op.rank].device;
    const auto type_of_device = static_cast<uint32_t>(prices_.class_of(device));
    const auto [found, is_new] = bases_.try_emplace(uint64_t{op.type} << 32 | type_of_device);
    if (is_new) found->second = compute(program_.type(id), device);
    return found->second;
  }

  Basis compute(const OpType& type, int32_t device) {
    Basis basis;
    for (const Work& work : program_.works_of(type)) {
      const double time = in_seconds(prices_.compute(work, device));
      basis.all += time;
      const KernelUncertainty kernel_uncertainty = prices_.kernel_trust->of(work, device);
      if (!kernel_uncertainty.kind) continue;
      basis.seconds[*kernel_uncertainty.kind] += time;
      basis.extrapolated = basis.extrapolated || kernel_uncertainty.extrapolated;
      errors_[*kernel_uncertainty.kind] =
          std::max(errors_[*kernel_uncertainty.kind], kernel_uncertainty.error);
    }
    return basis;
  }

  const Program& program_;
  const Prices& prices_;
  std::unordered_map<uint64_t, Basis> bases_;  ///< by op type and class of device
  std::array<double, error_kinds> path_s_{}, errors_{};
  double network_s_ = 0;
};

}  // namespace

std::optional<Uncertainty> uncertainty(const Program& program, const Timeline& timeline,
                                       const Prices& prices, const Metrics& metrics) {
  if (!prices.kernel_trust || metrics.makespan <= Time{}) return {};
  UncertaintySum uncertainties(program, prices);
  for (const OpId op : metrics.critical_path.ops)
    uncertainties.add(op, in_seconds(timeline.spans[op].end - timeline.spans[op].start));
  const double share = in_seconds(metrics.iteration) / in_seconds(metrics.makespan);
  const double spread = p90_of_normal * share * uncertainties.deviation_s();
  const double iteration = in_seconds(metrics.iteration);
  return Uncertainty{seconds(std::max(0.0, iteration - spread)), seconds(iteration + spread),
                     uncertainties.extrapolated_ops()};
}

}  // namespace pipewright
