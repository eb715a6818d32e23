#include "diagnose/step_graph.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "diagnose/iteration_ends.hpp"
#include "diagnose/step_groups.hpp"

namespace pipewright::diagnose {
namespace {

using Kind = OperationKind;

bool is_send(Kind kind) { return kind == Kind::forward_send || kind == Kind::backward_send; }

class Graph {
 public:
  Graph(const MeasuredJob& job, size_t step)
      : job_(job), step_(step), all_(job.of_step(step)), transfers_(match_transfers(job, step)) {
    graph_.after.resize(all_.size());
    graph_.group.assign(all_.size(), nothing);
    graph_.unmatched = transfers_.unmatched;
  }

  StepGraph run() {
    for (int rank = 0; rank < job_.ranks(); ++rank) {
      chain_device(rank);
      turn_around(rank);
      chain_transfers(rank);
      for (const std::vector<size_t>& places : by_iteration(rank))
        place_iteration(job_, job_.of_step(step_), job_.of(step_, rank), places, graph_.after);
    }
    feed_directly();
    for (int rank = 0; rank < job_.ranks(); ++rank) start_together(rank);
    group_operations(job_, step_, transfers_, graph_);
    return std::move(graph_);
  }

 private:
  void add(size_t later, size_t earlier) {
    if (later != earlier) graph_.after[later].push_back(earlier);
  }

  /// Places of a rank's operations, in the order of their starts.
  template <class Predicate>
  std::vector<size_t> of_rank(int rank, Predicate holds) const {
    const std::span<const TracedOperation> own = job_.of(step_, rank);
    const auto first = static_cast<size_t>(own.data() - all_.data());
    std::vector<size_t> places;
    for (size_t i = 0; i < own.size(); ++i)
      if (holds(own[i])) places.push_back(first + i);
    return places;
  }

  void chain(const std::vector<size_t>& places) {
    for (size_t k = 1; k < places.size(); ++k) add(places[k], places[k - 1]);
  }

  /// Transfers with one neighbour come one after another. One that was there before the one before
  /// it had ended does not wait for it.
  void chain_by_neighbour(const std::vector<size_t>& places) {
    std::map<int32_t, size_t> before;
    for (const size_t i : places) {
      const size_t other = transfers_.other[i];
      const auto [last, fresh] = before.try_emplace(other == nothing ? -1 : all_[other].stage, i);
      if (!fresh && all_[i].start >= all_[last->second].end()) add(i, last->second);
      last->second = i;
    }
  }

  void chain_device(int rank) {
    std::set<uint8_t> lanes;
    for (const TracedOperation& one : job_.of(step_, rank)) lanes.insert(one.lane);
    for (const uint8_t lane : lanes)
      chain(of_rank(rank, [lane](const TracedOperation& one) {
        return one.lane == lane && (holds_device(one.kind) || one.holds);
      }));
  }

  /// A backward comes after the forward that made its activations, on whichever lane.
  void turn_around(int rank) {
    std::map<std::pair<int32_t, int32_t>, size_t> forward;  // by chunk and micro-batch
    for (const size_t i : passes_of(job_, step_, rank)) {
      const std::pair pass{all_[i].chunk, all_[i].micro_batch};
      if (all_[i].kind == Kind::forward) forward[pass] = i;
      if (all_[i].kind != Kind::backward) continue;
      const auto found = forward.find(pass);
      if (found != forward.end() && all_[found->second].lane != all_[i].lane) add(i, found->second);
    }
  }

  void chain_transfers(int rank) {
    for (const Kind kind :
         {Kind::forward_send, Kind::forward_recv, Kind::backward_send, Kind::backward_recv})
      chain_by_neighbour(
          of_rank(rank, [&](const TracedOperation& one) { return one.kind == kind; }));
    const std::vector<size_t> passes = passes_of(job_, step_, rank);
    const std::map<size_t, size_t> partners = partners_of(rank);
    for (const size_t i :
         of_rank(rank, [](const TracedOperation& one) { return is_transfer(one.kind); })) {
      const size_t pass = transfers_.pass[i];
      if (pass == nothing) continue;
      if (is_send(all_[i].kind)) {
        add(i, pass);
        if (const auto other = partners.find(pass); other != partners.end()) add(i, other->second);
        if (all_[i].awaited) hold_up(i, rank);
      } else {
        add(pass, i);
        if (all_[i].awaited)
          follow(i, rank);
        else if (!all_[i].stops)
          post(i, pass, passes);
      }
      if (!all_[i].stops) continue;
      follow(i, rank);
      hold_up(i, rank);
    }
  }

  /// The first of a rank's operations that starts at `time` or later.
  std::span<const TracedOperation>::iterator first_from(std::span<const TracedOperation> own,
                                                        Time time) const {
    return std::ranges::lower_bound(own, time - same_time, {}, &TracedOperation::start);
  }

  /// What the rank computes next waits for the message.
  void hold_up(size_t message, int rank) {
    const std::span<const TracedOperation> own = job_.of(step_, rank);
    const auto next =
        std::find_if(first_from(own, all_[message].end()), own.end(),
                     [](const TracedOperation& one) { return holds_device(one.kind); });
    if (next != own.end()) add(static_cast<size_t>(&*next - all_.data()), message);
  }

  /// The message waits for what the rank computed before.
  void follow(size_t message, int rank) {
    const std::span<const TracedOperation> own = job_.of(step_, rank);
    for (auto before = first_from(own, all_[message].start + same_time); before != own.begin();) {
      --before;
      if (holds_device(before->kind) && before->end() <= all_[message].start + same_time)
        return add(message, static_cast<size_t>(&*before - all_.data()));
    }
  }

  /// By pass, the last of those that it overlaps: all of them end together.
  std::map<size_t, size_t> partners_of(int rank) const {
    std::map<size_t, size_t> partners;
    std::map<uint8_t, std::vector<size_t>> open;  // by lane
    for (const size_t i : compute_of(job_, step_, rank)) {
      std::vector<size_t>& before = open[all_[i].lane];
      for (const size_t one : before) partners[one] = i;
      if (!all_[i].overlaps_next)
        before.clear();
      else
        before.push_back(i);
    }
    return partners;
  }

  /// Passes that overlap begin together, when what each of them needs is there.
  void start_together(int rank) {
    const std::map<size_t, size_t> partners = partners_of(rank);
    for (const auto& [first, last] : partners) {
      const std::vector<size_t> needed = graph_.after[last];
      for (const size_t i : needed)
        if (is_transfer(all_[i].kind) || job_.rank_of(all_[i]) != rank) add(first, i);
    }
  }

  void post(size_t receive, size_t pass, const std::vector<size_t>& passes) {
    const auto own = std::ranges::find(passes, pass);
    for (auto before = own; before != passes.begin();) {
      --before;
      if (all_[*before].kind == all_[pass].kind) return post_after(receive, *before);
    }
    if (own - passes.begin() >= 2) post_after(receive, *(own - 2));
  }

  /// A receive that was there before the pass had ended was not posted after it.
  void post_after(size_t receive, size_t pass) {
    if (all_[receive].start >= all_[pass].start) add(receive, pass);
  }

  /// The places of a rank's operations by iteration, each in the order of their starts.
  std::vector<std::vector<size_t>> by_iteration(int rank) const {
    std::vector<std::vector<size_t>> places(std::max<size_t>(job_.run_on.size(), 1));
    for (const size_t i : of_rank(rank, [](const TracedOperation&) { return true; }))
      places[job_.run_on.empty() ? 0 : job_.iteration_of(step_, all_[i])].push_back(i);
    return places;
  }

  /// A pass of which the trace has no receive comes after the message that was sent to it; one
  /// whose message is not in the trace at all, right after the pass that feeds it.
  void feed_directly() {
    std::vector<bool> sent(all_.size());
    for (size_t i = 0; i < all_.size(); ++i) {
      if (transfers_.pass[i] == nothing || !is_send(all_[i].kind)) continue;
      const size_t fed = transfers_.feeds[transfers_.pass[i]];
      if (fed == nothing) continue;
      sent[transfers_.pass[i]] = true;
      if (transfers_.other[i] == nothing) add(fed, i);
    }
    for (size_t i = 0; i < all_.size(); ++i)
      if (transfers_.feeds[i] != nothing && !sent[i]) add(transfers_.feeds[i], i);
  }

  const MeasuredJob& job_;
  size_t step_;
  std::span<const TracedOperation> all_;
  Transfers transfers_;
  StepGraph graph_;
};

}  // namespace

StepGraph graph_of(const MeasuredJob& job, size_t step) { return Graph(job, step).run(); }

}  // namespace pipewright::diagnose
