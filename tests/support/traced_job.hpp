// Operations of a job as a profiler would have written them, made by a rule of their own: passes in
// the order of a schedule, one after another, each after its message, whose receive is posted when
// the pass before of the same direction has ended; gradients summed over data ranks at the end,
// then the optimizer.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "interop/operation_table.hpp"
#include "schedule/kinds/kinds.hpp"

namespace pipewright::test {

struct TracedJob {
  schedule::Schedule schedule;
  int data = 1, steps = 1;
  /// How long an operation takes by itself; of a message its receive is asked.
  std::function<Time(const TracedOperation&)> length;
  /// How long a rank's host waits before it starts a pass.
  std::function<Time(const TracedOperation&)> late = [](const TracedOperation&) { return Time{}; };
};

/// One replica of one step.
class TracedReplica {
 public:
  TracedReplica(const TracedJob& job, int step, int data)
      : job_(job), step_(step), data_(data), ranks_(static_cast<size_t>(job.schedule.ranks())) {}

  /// Returns the passes and messages; `ends` gets the end of each rank's last pass.
  std::vector<TracedOperation> run(std::vector<Time>& ends) {
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t rank = 0; rank < ranks_.size(); ++rank)
        while (try_next(rank)) moved = true;
    }
    for (const Rank& rank : ranks_) ends.push_back(rank.free);
    return std::move(operations_);
  }

 private:
  struct Rank {
    size_t next = 0;
    Time free;
    Time posts[2];  ///< when the host posts the next receive of each direction
  };
  struct End {
    Time at;
    size_t rank = 0;
  };
  using Key = std::tuple<bool, int32_t, int32_t>;  // backward, stage, micro-batch

  TracedOperation operation(OperationKind kind, size_t rank, const schedule::Action& action) const {
    const bool pass = kind == OperationKind::forward || kind == OperationKind::backward ||
                      kind == OperationKind::weight_gradient;
    return {.dp_rank = data_,
            .stage = static_cast<int32_t>(rank),
            .step = step_,
            .kind = kind,
            .chunk = pass ? chunk_of(rank, action.stage) : -1,
            .micro_batch = action.micro_batch};
  }

  /// The chunks of a rank count in the order of the stages that they are.
  int32_t chunk_of(size_t rank, int32_t stage) const {
    std::set<int32_t> stages;
    for (const schedule::Action& one : job_.schedule.order[rank]) stages.insert(one.stage);
    return static_cast<int32_t>(std::distance(stages.begin(), stages.find(stage)));
  }

  /// A weight gradient waits for no message.
  void run_weight_gradient(size_t rank, const schedule::Action& action) {
    Rank& own = ranks_[rank];
    const TracedOperation pass = operation(OperationKind::weight_gradient, rank, action);
    const Time start = own.free + job_.late(pass);
    own.free = start + job_.length(pass);
    add(pass, start, own.free);
    ++own.next;
  }

  void add(TracedOperation one, Time start, Time end) {
    one.start = start;
    one.duration = end - start;
    operations_.push_back(one);
  }

  /// When the message that the action waits for has come; it is written down on both sides.
  Time receive(size_t rank, const schedule::Action& action, const End& sent) {
    const bool back = action.pass != schedule::Pass::forward;
    using enum OperationKind;
    TracedOperation receive = operation(back ? backward_recv : forward_recv, rank, action);
    const Time posted = ranks_[rank].posts[back], start = std::max(posted, sent.at);
    const Time end = start + job_.length(receive);
    TracedOperation send = operation(back ? backward_send : forward_send, sent.rank, action);
    receive.micro_batch = send.micro_batch = -1;
    add(receive, posted, end);
    add(send, sent.at, end);
    return end;
  }

  bool try_next(size_t rank) {
    Rank& own = ranks_[rank];
    const schedule::Order& order = job_.schedule.order[rank];
    if (own.next == order.size()) return false;
    const schedule::Action& action = order[own.next];
    if (action.pass == schedule::Pass::weight_gradient)
      return run_weight_gradient(rank, action), true;
    const bool back = action.pass != schedule::Pass::forward;
    const int from = action.stage + (back ? 1 : -1);
    Time ready = own.free;
    if (from >= 0 && from < job_.schedule.stages) {
      const auto found = ends_.find({back, from, action.micro_batch});
      if (found == ends_.end()) return false;
      if (found->second.rank != rank) ready = std::max(ready, receive(rank, action, found->second));
    }
    const TracedOperation pass =
        operation(back ? OperationKind::backward : OperationKind::forward, rank, action);
    ready += job_.late(pass);
    own.free = ready + job_.length(pass);
    own.posts[back] = own.free;
    add(pass, ready, own.free);
    ends_[{back, action.stage, action.micro_batch}] = {own.free, rank};
    ++own.next;
    return true;
  }

  const TracedJob& job_;
  int step_, data_;
  std::vector<Rank> ranks_;
  std::map<Key, End> ends_;
  std::vector<TracedOperation> operations_;
};

inline std::vector<TracedOperation> trace_of(const TracedJob& job) {
  std::vector<TracedOperation> all;
  for (int step = 0; step < job.steps; ++step) {
    std::vector<std::vector<Time>> ends(static_cast<size_t>(job.data));
    for (int data = 0; data < job.data; ++data) {
      const std::vector<TracedOperation> of_replica =
          TracedReplica(job, step, data).run(ends[static_cast<size_t>(data)]);
      all.insert(all.end(), of_replica.begin(), of_replica.end());
    }
    for (int32_t stage = 0; stage < job.schedule.ranks(); ++stage) {
      Time last;
      for (const std::vector<Time>& of_replica : ends)
        last = std::max(last, of_replica[static_cast<size_t>(stage)]);
      for (int32_t data = 0; data < job.data; ++data) {
        TracedOperation sum{.dp_rank = data, .stage = stage, .step = step};
        sum.kind = OperationKind::grads_reduce_scatter;
        sum.chunk = 0;
        sum.start = ends[static_cast<size_t>(data)][static_cast<size_t>(stage)];
        sum.duration = last + job.length(sum) - sum.start;
        TracedOperation update = sum;
        update.kind = OperationKind::optimizer;
        update.start = sum.end();
        update.duration = job.length(update);
        all.push_back(sum);
        all.push_back(update);
      }
    }
  }
  return all;
}

/// From the first start to the last end, the mean over steps, in seconds.
inline double step_seconds(const std::vector<TracedOperation>& operations, int steps) {
  std::vector<Time> ends(static_cast<size_t>(steps));
  for (const TracedOperation& one : operations) {
    Time& end = ends[static_cast<size_t>(one.step)];
    end = std::max(end, one.end());
  }
  double sum = 0;
  for (const Time end : ends) sum += in_seconds(end);
  return sum / steps;
}

inline schedule::Schedule traced_schedule(const std::string& specification, int ranks,
                                          int micro_batches) {
  return schedule::build({.ranks = ranks, .micro_batches = micro_batches},
                         config::parse(specification, "test"));
}

}  // namespace pipewright::test
