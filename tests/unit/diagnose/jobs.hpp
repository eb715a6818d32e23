// Small jobs for the tests of this folder.
#pragma once

#include "diagnose/candidates.hpp"
#include "support/traced_job.hpp"

namespace pipewright::test {

inline TracedOperation operation(OperationKind kind, int32_t stage, int32_t micro_batch,
                                 double start, double length, int32_t data = 0, int32_t step = 0) {
  return {.dp_rank = data,
          .stage = stage,
          .step = step,
          .kind = kind,
          .chunk = 0,
          .micro_batch = micro_batch,
          .start = seconds(start),
          .duration = seconds(length)};
}

/// Forward 1 s, backward 2 s, weight gradients that stand apart 1 s, messages of 0.1 s, the rest
/// nothing; times `factor`.
inline std::vector<TracedOperation> traced(
    const std::string& schedule, int ranks, int micro_batches, int data, int steps,
    std::function<double(const TracedOperation&)> factor = [](const TracedOperation&) {
      return 1.0;
    }) {
  TracedJob job{traced_schedule(schedule, ranks, micro_batches), data, steps};
  job.length = [factor](const TracedOperation& one) {
    double length = 0;
    if (one.kind == OperationKind::forward) length = 1;
    if (one.kind == OperationKind::backward) length = 2;
    if (one.kind == OperationKind::weight_gradient) length = 1;
    if (one.kind == OperationKind::forward_recv || one.kind == OperationKind::backward_recv)
      length = 0.1;
    return seconds(length * factor(one));
  };
  return trace_of(job);
}

/// A trace with all that causes are looked for in.
struct Known {
  explicit Known(std::vector<TracedOperation> operations)
      : job(diagnose::measured_job(std::move(operations), "test")), trace(all_steps()) {}

  diagnose::Evidence evidence() const {
    return {job, trace, diagnose::without_gaps(trace), diagnose::ideal_lengths(trace)};
  }

  diagnose::MeasuredJob job;
  diagnose::MeasuredProgram trace;

 private:
  diagnose::MeasuredProgram all_steps() const {
    std::vector<size_t> steps;
    for (size_t step = 0; step < job.steps.size(); ++step) steps.push_back(step);
    return diagnose::program_of(job, steps);
  }
};

}  // namespace pipewright::test
