#include "result/accounts/compute_shares.hpp"

namespace pipewright {

ComputeKind kind_of(schedule::Pass pass) {
  switch (pass) {
    case schedule::Pass::forward:
      return ComputeKind::forward;
    case schedule::Pass::backward:
      return ComputeKind::backward;
    case schedule::Pass::input_gradient:
      return ComputeKind::input_gradient;
    case schedule::Pass::weight_gradient:
      return ComputeKind::weight_gradient;
  }
  return ComputeKind::other;
}

ComputeShare SharesByPass::of(const Program& program, OpId op) const {
  const OpType& type = program.type(op);
  ComputeKind kind = ComputeKind::other;
  if (type.kind == OpKind::step)
    kind = ComputeKind::optimizer;
  else if (program.labels.empty())
    kind = kind_of(type.pass);
  ComputeShare share;
  share.compute[static_cast<size_t>(kind)] = 1;
  return share;
}

}  // namespace pipewright
