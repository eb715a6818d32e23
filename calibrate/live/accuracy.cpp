#include "calibrate/live/accuracy.hpp"

#include <array>

#include "program/names.hpp"

namespace pipewright::live {
namespace {

constexpr std::array<const char*, 5> compute_kinds = {"forward", "backward", "input_gradient",
                                                      "weight_gradient", "step"};

/// Index of an op's kind among the compute kinds, then the traffics; markers have none.
int kind_of(const OpType& type) {
  switch (type.kind) {
    case OpKind::compute:
      return static_cast<int>(type.pass);
    case OpKind::step:
      return 4;
    case OpKind::transfer:
    case OpKind::collective:
    case OpKind::copy:
      return 5 + static_cast<int>(type.traffic);
    case OpKind::marker:
      return -1;
  }
  return -1;
}

std::string name_of(size_t kind) {
  if (kind < compute_kinds.size()) return compute_kinds[kind];
  return to_string(static_cast<Traffic>(kind - compute_kinds.size()));
}

}  // namespace

double relative_error(double predicted, double measured) {
  return measured > 0 ? (predicted - measured) / measured : 0;
}

double KindAccuracy::error() const { return relative_error(predicted_s, measured_s); }

std::vector<KindAccuracy> accuracy(const Program& program, const Timeline& predicted,
                                   const Timeline& measured) {
  std::array<KindAccuracy, compute_kinds.size() + traffic_kinds> sums;
  for (OpId op = 0; op < program.ops.size(); ++op) {
    const int kind = kind_of(program.type(op));
    if (kind < 0) continue;
    KindAccuracy& sum = sums[static_cast<size_t>(kind)];
    const Span &p = predicted.spans[op], &m = measured.spans[op];
    ++sum.count;
    sum.predicted_s += in_seconds(p.end - p.start);
    sum.measured_s += in_seconds(m.end - m.start);
    sum.waiting_s += in_seconds(m.start - m.ready);
  }
  std::vector<KindAccuracy> result;
  for (size_t kind = 0; kind < sums.size(); ++kind) {
    KindAccuracy& sum = sums[kind];
    if (sum.count == 0) continue;
    const auto count = static_cast<double>(sum.count);
    sum.kind = name_of(kind);
    sum.predicted_s /= count;
    sum.measured_s /= count;
    sum.waiting_s /= count;
    result.push_back(std::move(sum));
  }
  return result;
}

}  // namespace pipewright::live
