#include "diagnose/rebuilt_job.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pipewright::diagnose {
namespace {

/// A rank is slow beyond what its passes vary anyway.
constexpr double notable_slowdown = 1.01;

struct Sum {
  double seconds = 0;
  size_t count = 0;
  double mean() const { return count > 0 ? seconds / static_cast<double>(count) : 0; }
};

class Rebuilding {
 public:
  explicit Rebuilding(const Evidence& evidence) : job_(evidence.job) {
    const auto stages = static_cast<size_t>(job_.model_stages());
    const std::vector<Sum> row(static_cast<size_t>(job_.data));
    forward_.assign(stages, row);
    backward_.assign(stages, row);
    weight_gradient_.assign(stages, row);
    update_.assign(static_cast<size_t>(job_.stages), row);
    evidence.for_each([&](const TracedOperation& one, OpId body) {
      add(one, in_seconds(evidence.lengths[body]));
    });
  }

  RebuiltJob run() {
    RebuiltJob rebuilt{.ranks = job_.stages,
                       .data = job_.data,
                       .micro_batches = micro_batches(job_) / job_.slices};
    rebuilt.slices = job_.slices;
    for (size_t stage = 0; stage < forward_.size(); ++stage) {
      const double apart = usual(weight_gradient_[stage]);
      rebuilt.forward.push_back(seconds(usual(forward_[stage])));
      rebuilt.backward.push_back(seconds(usual(backward_[stage]) + apart));
      if (halves_) rebuilt.weight_gradient.push_back(seconds(apart));
    }
    // The first chunk is the last whose gradients are complete.
    rebuilt.update.resize(forward_.size());
    for (size_t rank = 0; rank < update_.size(); ++rank)
      rebuilt.update[rank] = seconds(usual_update(update_[rank]) / slowest(static_cast<int>(rank)));
    // What a message takes is told by its receive, or by its send where there are no receives.
    const std::vector<double>& messages = received_.empty() ? sent_ : received_;
    if (!messages.empty()) rebuilt.message = seconds(median_of(messages));
    if (!bytes_.empty()) rebuilt.message_bytes = std::llround(median_of(bytes_));
    add_slow(rebuilt);
    return rebuilt;
  }

 private:
  void add(const TracedOperation& one, double length) {
    const auto data = static_cast<size_t>(one.dp_rank);
    if (computes(one.kind)) {
      const auto stage = static_cast<size_t>(job_.model_stage(one));
      if (stage >= forward_.size()) return;  // a chunk that the schedule does not have
      Sum& sum = passes_of(one.kind)[stage][data];
      sum.seconds += length;
      ++sum.count;
      halves_ |= one.kind == OperationKind::weight_gradient;
    } else if (is_transfer(one.kind)) {
      (sends(one.kind) ? sent_ : received_).push_back(length);
      if (one.bytes > 0) bytes_.push_back(static_cast<double>(one.bytes));
    } else if (one.kind != OperationKind::gc) {
      update_[static_cast<size_t>(one.stage)][data].seconds += length;
    }
  }

  static bool sends(OperationKind kind) {
    return kind == OperationKind::forward_send || kind == OperationKind::backward_send;
  }

  std::vector<std::vector<Sum>>& passes_of(OperationKind kind) {
    if (kind == OperationKind::forward) return forward_;
    return kind == OperationKind::backward ? backward_ : weight_gradient_;
  }

  static double usual(const std::vector<Sum>& of_data) {
    std::vector<double> means;
    for (const Sum& sum : of_data) means.push_back(sum.mean());
    return median_of(std::move(means));
  }

  double usual_update(const std::vector<Sum>& of_data) const {
    std::vector<double> times;
    for (const Sum& sum : of_data)
      times.push_back(sum.seconds / static_cast<double>(job_.steps.size()));
    return median_of(std::move(times));
  }

  /// What a rank computes for one micro-batch, over what it does where it is the median.
  double slowdown(int data, int rank) const {
    double own = 0, all = 0;
    for (int chunk = 0; chunk < job_.chunks; ++chunk) {
      const auto stage = static_cast<size_t>(job_.model_stage(rank, chunk));
      if (stage >= forward_.size()) continue;
      for (const auto* passes : {&forward_[stage], &backward_[stage]}) {
        own += (*passes)[static_cast<size_t>(data)].mean();
        all += usual(*passes);
      }
    }
    return all > 0 ? own / all : 1;
  }

  /// A straggler computes its update as slowly, which the trace's was not.
  double slowest(int rank) const {
    double factor = 1;
    for (int data = 0; data < job_.data; ++data) factor = std::max(factor, slowdown(data, rank));
    return factor > notable_slowdown ? factor : 1;
  }

  void add_slow(RebuiltJob& rebuilt) const {
    for (int rank = 0; rank < job_.stages; ++rank)
      for (int data = 0; data < job_.data; ++data)
        if (const double factor = slowdown(data, rank); factor > notable_slowdown)
          rebuilt.slow.push_back({data, rank, factor});
  }

  const MeasuredJob& job_;
  std::vector<std::vector<Sum>> forward_, backward_, weight_gradient_;  ///< by stage and data rank
  bool halves_ = false;                   ///< whether weight gradients stand apart
  std::vector<std::vector<Sum>> update_;  ///< by rank and data rank
  std::vector<double> sent_, received_, bytes_;
};

}  // namespace

RebuiltJob rebuilt_job(const Evidence& evidence, const std::string& schedule) {
  RebuiltJob rebuilt = Rebuilding(evidence).run();
  rebuilt.schedule = schedule;
  return rebuilt;
}

}  // namespace pipewright::diagnose
