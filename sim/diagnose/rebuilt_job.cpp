#include "diagnose/rebuilt_job.hpp"

#include <algorithm>
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
    const auto stages = static_cast<size_t>(job_.stages * job_.chunks);
    const std::vector<Sum> row(static_cast<size_t>(job_.data));
    forward_.assign(stages, row);
    backward_.assign(stages, row);
    update_.assign(static_cast<size_t>(job_.stages), row);
    evidence.for_each([&](const TracedOperation& one, OpId body) {
      add(one, in_seconds(evidence.lengths[body]));
    });
  }

  RebuiltJob run() {
    RebuiltJob rebuilt{
        .ranks = job_.stages, .data = job_.data, .micro_batches = micro_batches(job_)};
    for (const auto& stage : forward_) rebuilt.forward.push_back(seconds(usual(stage)));
    for (const auto& stage : backward_) rebuilt.backward.push_back(seconds(usual(stage)));
    // The first chunk is the last whose gradients are complete.
    rebuilt.update.resize(forward_.size());
    for (size_t rank = 0; rank < update_.size(); ++rank)
      rebuilt.update[rank] = seconds(usual_update(update_[rank]) / slowest(static_cast<int>(rank)));
    if (!messages_.empty()) rebuilt.message = seconds(median_of(messages_));
    add_slow(rebuilt);
    return rebuilt;
  }

 private:
  void add(const TracedOperation& one, double length) {
    const auto data = static_cast<size_t>(one.dp_rank);
    if (is_pass(one.kind)) {
      auto& stages = one.kind == OperationKind::forward ? forward_ : backward_;
      Sum& sum =
          stages[static_cast<size_t>(std::max(one.chunk, 0) * job_.stages + one.stage)][data];
      sum.seconds += length;
      ++sum.count;
    } else if (one.kind == OperationKind::forward_recv ||
               one.kind == OperationKind::backward_recv) {
      messages_.push_back(length);
    } else if (!is_transfer(one.kind) && one.kind != OperationKind::gc) {
      update_[static_cast<size_t>(one.stage)][data].seconds += length;
    }
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
    for (auto stage = static_cast<size_t>(rank); stage < forward_.size();
         stage += static_cast<size_t>(job_.stages))
      for (const auto* passes : {&forward_[stage], &backward_[stage]}) {
        own += (*passes)[static_cast<size_t>(data)].mean();
        all += usual(*passes);
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
  std::vector<std::vector<Sum>> forward_, backward_;  ///< by stage and data rank
  std::vector<std::vector<Sum>> update_;              ///< by rank and data rank
  std::vector<double> messages_;
};

}  // namespace

RebuiltJob rebuilt_job(const Evidence& evidence, const std::string& schedule) {
  RebuiltJob rebuilt = Rebuilding(evidence).run();
  rebuilt.schedule = schedule;
  return rebuilt;
}

}  // namespace pipewright::diagnose
