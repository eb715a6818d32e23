#include "diagnose/sum_queues.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace pipewright::diagnose {
namespace {

bool has_sums(const std::vector<PassWindow>& windows) {
  return std::ranges::any_of(windows, [](const PassWindow& one) { return one.sums > Time{}; });
}

double seconds_of(const std::vector<OpId>& ops, const std::vector<Time>& lengths) {
  double sum = 0;
  for (const OpId op : ops) sum += in_seconds(lengths[op]);
  return sum;
}

}  // namespace

SumQueues::SumQueues(const Evidence& evidence) {
  std::map<std::tuple<int32_t, int32_t, int>, Queue> queues;  // by step, iteration and rank
  size_t next = 0;
  evidence.for_each([&](const TracedOperation& one, OpId body) {
    const OpId gap = evidence.trace.gap[next++];
    add(one, body, gap, evidence, queues[{one.step, one.iteration, evidence.job.rank_of(one)}]);
  });
  for (auto& [place, queue] : queues) {
    if (queue.passes.empty() || queue.behind == 0) continue;
    for (const Pass& pass : queue.passes) queue_of_[pass.body] = queues_.size();
    for (const OpId sum : queue.sums) queue_of_[sum] = queues_.size();
    queues_.push_back(std::move(queue));
  }
}

void SumQueues::add(const TracedOperation& one, OpId body, OpId gap, const Evidence& evidence,
                    Queue& queue) {
  if (computes(one.kind)) {
    if (one.windows < 0 || one.together > 0) return;
    const auto& windows = evidence.job.windows[static_cast<size_t>(one.windows)];
    if (!has_sums(windows)) return;
    queue.passes.push_back({body, &windows});
    queue.sums.clear();
    queue.behind = 0;
  } else if (!is_transfer(one.kind) && !queue.passes.empty()) {
    if (queue.behind == 0) queue.behind = gap;
    if (one.kind != OperationKind::grads_reduce_scatter) return;
    queue.sums.push_back(body);
    queue.elsewhere = one.elsewhere;
    queue.hidden_elsewhere = one.hidden_elsewhere;
  }
}

/// Sums that are as fast as on other tensor ranks leave what these leave. In between it goes in a
/// line.
double SumQueues::Queue::hidden_part(double part) const {
  if (elsewhere >= 1) return part;
  if (part <= elsewhere) return elsewhere > 0 ? part / elsewhere * hidden_elsewhere : 0;
  return 1 - (1 - part) / (1 - elsewhere) * (1 - hidden_elsewhere);
}

/// How long sums go on behind the last pass beyond what was measured. They begin with the windows
/// of passes, none before those ahead of it have ended.
double SumQueues::left_s(const Queue& queue, const Left& measured, const Left& left) {
  const double before_s = seconds_of(queue.sums, measured.lengths);
  const double of_sums = queue.hidden_part(
      before_s > 0 ? std::min(seconds_of(queue.sums, left.lengths) / before_s, 1.0) : 1);
  double left_s = 0;
  for (const Pass& pass : queue.passes) {
    const auto part = [&](const std::vector<Time> Lockstep::Parts::*of) {
      return part_of((left.parts.*of)[pass.body], (measured.parts.*of)[pass.body]);
    };
    const double own = part(&Lockstep::Parts::own), exchanges = part(&Lockstep::Parts::exchanges);
    for (const PassWindow& window : *pass.windows) {
      const double waits_s = in_seconds(window.length - window.own - window.exchanges);
      const double takes_s =
          std::max(window.busy_s(own, exchanges) + waits_s, in_seconds(window.collectives));
      left_s = std::max(left_s + of_sums * in_seconds(window.sums) - takes_s, 0.0);
    }
  }
  return left_s;
}

void SumQueues::settle(const Left& measured, const Left& from, const Left& to,
                       const Lengths& changed, std::vector<Time>& lengths) const {
  std::set<size_t> numbers;
  for (const auto& [op, length] : changed)
    if (const auto found = queue_of_.find(op); found != queue_of_.end())
      numbers.insert(found->second);
  for (const size_t number : numbers) {
    const Queue& queue = queues_[number];
    const Time more = seconds(left_s(queue, measured, to) - left_s(queue, measured, from));
    lengths[queue.behind] = std::max(lengths[queue.behind] + more, Time{});
  }
}

}  // namespace pipewright::diagnose
