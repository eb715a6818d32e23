#include "diagnose/rebuilt_job.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
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
    traced_.assign(static_cast<size_t>(job_.ranks()), false);
    evidence.for_each([&](const TracedOperation& one, OpId body) {
      add(one, in_seconds(evidence.lengths[body]));
    });
  }

  RebuiltJob run() {
    RebuiltJob rebuilt{.ranks = job_.stages,
                       .data = job_.data,
                       .micro_batches = micro_batches(job_) / job_.slices};
    rebuilt.slices = job_.slices;
    rebuilt.by_symmetry = std::ranges::any_of(traced_, std::logical_not{});
    const std::vector<double> forward = all_of(forward_), backward = all_of(backward_),
                              apart = all_of(weight_gradient_);
    for (size_t stage = 0; stage < forward.size(); ++stage) {
      rebuilt.forward.push_back(seconds(forward[stage]));
      rebuilt.backward.push_back(seconds(backward[stage] + apart[stage]));
      if (halves_) rebuilt.weight_gradient.push_back(seconds(apart[stage]));
    }
    // The first chunk is the last whose gradients are complete.
    rebuilt.update.resize(forward_.size());
    const std::vector<double> update = updates();
    for (size_t rank = 0; rank < update.size(); ++rank)
      rebuilt.update[rank] = seconds(update[rank]);
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
      traced_[static_cast<size_t>(job_.rank_of(one))] = true;
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

  /// Of the data ranks that the trace has; 0: it has none.
  static double usual(const std::vector<Sum>& of_data) {
    std::vector<double> means;
    for (const Sum& sum : of_data)
      if (sum.count > 0) means.push_back(sum.mean());
    return means.empty() ? 0 : median_of(std::move(means));
  }

  static bool is_known(const std::vector<Sum>& of_data) {
    return std::ranges::any_of(of_data, [](const Sum& sum) { return sum.count > 0; });
  }

  /// By stage. Those of which the trace has no forward take the mean of the others.
  std::vector<double> all_of(const std::vector<std::vector<Sum>>& by_stage) const {
    Sum known;
    for (size_t stage = 0; stage < by_stage.size(); ++stage)
      if (is_known(forward_[stage])) known.seconds += usual(by_stage[stage]), ++known.count;
    std::vector<double> times;
    for (size_t stage = 0; stage < by_stage.size(); ++stage)
      times.push_back(is_known(forward_[stage]) ? usual(by_stage[stage]) : known.mean());
    return times;
  }

  /// By rank of the pipeline. Ranks without passes take the mean of the others.
  std::vector<double> updates() const {
    std::vector<double> times;
    Sum known;
    for (int rank = 0; rank < job_.stages; ++rank) {
      std::vector<double> of_data;
      for (int data = 0; data < job_.data; ++data)
        if (is_traced(data, rank))
          of_data.push_back(update_[static_cast<size_t>(rank)][static_cast<size_t>(data)].seconds /
                            static_cast<double>(job_.steps.size()));
      times.push_back(of_data.empty() ? -1 : median_of(std::move(of_data)) / slowest(rank));
      if (times.back() >= 0) known.seconds += times.back(), ++known.count;
    }
    for (double& time : times)
      if (time < 0) time = known.mean();
    return times;
  }

  bool is_traced(int data, int rank) const {
    return traced_[static_cast<size_t>(data * job_.stages + rank)];
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
  std::vector<bool> traced_;  ///< by rank, whether it has a pass
};

}  // namespace

RebuiltJob rebuilt_job(const Evidence& evidence, const std::string& schedule) {
  RebuiltJob rebuilt = Rebuilding(evidence).run();
  rebuilt.schedule = schedule;
  return rebuilt;
}

}  // namespace pipewright::diagnose
