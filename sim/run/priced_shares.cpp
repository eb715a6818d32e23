#include "run/priced_shares.hpp"

#include <algorithm>
#include <numeric>

namespace pipewright {
namespace {

ComputeKind gradient_kind(schedule::Pass pass, ComputeKind otherwise) {
  return pass == schedule::Pass::backward ? ComputeKind::backward : otherwise;
}

/// Returns what a kernel of an op computes, `pass` being the op's or its partner's that is no
/// forward pass.
ComputeKind purpose_of(const Work& work, const OpType& type, schedule::Pass pass) {
  switch (work.origin.purpose) {
    case Purpose::none:
      return type.kind == OpKind::step ? ComputeKind::optimizer : kind_of(type.pass);
    case Purpose::forward:
      return ComputeKind::forward;
    case Purpose::recompute:
      return ComputeKind::recompute;
    case Purpose::input_gradient:
      return gradient_kind(pass, ComputeKind::input_gradient);
    case Purpose::weight_gradient:
      return gradient_kind(pass, ComputeKind::weight_gradient);
    case Purpose::prediction:
      return ComputeKind::other;
  }
  return ComputeKind::other;
}

}  // namespace

PricedShares::PricedShares(const Program& program, const Prices& prices)
    : program_(program), prices_(prices), times_(program, prices) {
  int32_t classes = 1;
  for (const ProgramRank& rank : program.ranks)
    classes = std::max(classes, prices.class_of(rank.device) + 1);
  known_.resize(static_cast<size_t>(classes));
  for (auto& of_class : known_) of_class.resize(program.types.size());
}

std::vector<double> PricedShares::of_works(OpId op) const {
  const OpType& type = program_.type(op);
  const int32_t device = program_.ranks[program_.ops[op].rank].device;
  std::vector<double> parts;
  for (const Work& work : program_.works_of(type))
    parts.push_back(in_seconds(prices_.compute(work, device)));
  const double all = in_seconds(times_.of(program_.ops[op].type, device));
  for (double& part : parts) part = all > 0 ? part / all : 0;
  return parts;
}

ComputeShare PricedShares::of(const Program& program, OpId op) const {
  const Op& o = program.ops[op];
  const auto device_class = static_cast<size_t>(prices_.class_of(program.ranks[o.rank].device));
  std::optional<ComputeShare>& known = known_[device_class][o.type];
  if (known) return *known;
  const OpType& type = program.type(op);
  const std::vector<double> parts = of_works(op);
  const double busy = std::accumulate(parts.begin(), parts.end(), 0.0);
  if (busy <= 0) return *(known = SharesByPass().of(program, op));
  const schedule::Pass pass = type.paired ? program.partners[o.peer].pass : type.pass;
  ComputeShare share;
  size_t k = 0;
  for (const Work& work : program.works_of(type))
    share.compute[static_cast<size_t>(purpose_of(work, type, pass))] += parts[k++];
  share.host = std::max(0.0, 1 - busy);
  return *(known = share);
}

}  // namespace pipewright
