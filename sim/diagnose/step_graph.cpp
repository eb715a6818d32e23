#include "diagnose/step_graph.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <ranges>
#include <set>
#include <tuple>

namespace pipewright::diagnose {
namespace {

using Kind = OperationKind;

bool holds_device(Kind kind) {
  return computes(kind) || kind == Kind::optimizer || kind == Kind::gc;
}

bool is_send(Kind kind) { return kind == Kind::forward_send || kind == Kind::backward_send; }

/// The ranks that meet in a collective, as what they have in common: data rank and stage, -1 where
/// that differs.
struct Meeting {
  Kind kind;
  int32_t data, stage, group;
  int number;  ///< of its kind and group on each rank
  auto operator<=>(const Meeting&) const = default;
};

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
      for (std::vector<size_t>& places : by_iteration(rank)) {
        iteration_ = std::move(places);
        place_gathers();
        place_end(rank);
      }
    }
    feed_directly();
    for (int rank = 0; rank < job_.ranks(); ++rank) start_together(rank);
    group_transfers();
    group_lockstep();
    group_collectives();
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

  /// Those of the iteration that is looked at.
  template <class Predicate>
  std::vector<size_t> of_iteration(Predicate holds) const {
    std::vector<size_t> places;
    std::ranges::copy_if(iteration_, std::back_inserter(places),
                         [&](size_t i) { return holds(all_[i]); });
    return places;
  }

  /// The last gathering of a chunk comes before the first forward of the chunk.
  void place_gathers() {
    const std::vector<size_t> gathers = of_iteration(
        [](const TracedOperation& one) { return one.kind == Kind::params_all_gather; });
    chain(gathers);
    std::map<int32_t, size_t> last, first;
    for (const size_t i : iteration_)
      if (all_[i].kind == Kind::forward) first.emplace(all_[i].chunk, i);
    for (const size_t i : gathers)
      if (const auto found = first.find(all_[i].chunk);
          found != first.end() && all_[i].start < all_[found->second].start)
        last[all_[i].chunk] = i;
    for (const auto& [chunk, gather] : last) add(first[chunk], gather);
  }

  bool ends_step(const TracedOperation& one, bool overlapped) const {
    if (one.kind == Kind::grads_reduce_scatter) return !overlapped;
    return one.kind == Kind::gc || one.kind == Kind::optimizer ||
           (communicates(one.kind) && !is_transfer(one.kind));
  }

  void place_end(int rank) {
    const std::vector<size_t> passes =
        of_iteration([](const TracedOperation& one) { return computes(one.kind); });
    if (passes.empty()) return;
    const std::vector<size_t> reductions = of_iteration(
        [](const TracedOperation& one) { return one.kind == Kind::grads_reduce_scatter; });
    const size_t last =
        *std::ranges::max_element(passes, {}, [&](size_t i) { return all_[i].end(); });
    const bool overlapped =
        !reductions.empty() && all_[reductions.front()].start < all_[last].end();
    std::vector<size_t> end = {last};
    for (const size_t i :
         of_iteration([&](const TracedOperation& one) { return ends_step(one, overlapped); }))
      if (all_[i].start >= all_[last].start) end.push_back(i);
    chain_end(end);
    begin_next(rank, end.back());
    if (overlapped) place_overlapped(passes, reductions, end);
  }

  /// Which of the things that end a step stand one after another: chunk (-1: of all) and group.
  using EndQueue = std::pair<int32_t, int32_t>;

  /// One after another. What one chunk or one group of data ranks does may stand beside what
  /// another does.
  void chain_end(const std::vector<size_t>& end) {
    std::map<EndQueue, size_t> last;
    for (const size_t i : end | std::views::drop(1)) {
      const EndQueue queue{all_[i].chunk, all_[i].group};
      bool alone = true;
      for (const auto& [other, before] : last) {
        const bool of_one = queue.first < 0 || other.first < 0 || queue == other;
        if (!of_one && all_[i].start + same_time < all_[before].end()) continue;
        add(i, before);
        alone = false;
      }
      if (alone) add(i, end.front());
      if (queue.first < 0) last.clear();
      last[queue] = i;
    }
  }

  /// Where iterations run on, the next one of a rank begins after what ends this one: with what it
  /// computes or with the weights that it gathers for that.
  void begin_next(int rank, size_t last) {
    if (job_.run_on.empty()) return;
    const std::span<const TracedOperation> own = job_.of(step_, rank);
    const auto next =
        std::find_if(std::ranges::lower_bound(own, all_[last].end(), {}, &TracedOperation::start),
                     own.end(), [](const TracedOperation& one) {
                       return holds_device(one.kind) || one.kind == Kind::params_all_gather;
                     });
    if (next != own.end()) add(static_cast<size_t>(&*next - all_.data()), last);
  }

  void place_overlapped(const std::vector<size_t>& passes, const std::vector<size_t>& reductions,
                        const std::vector<size_t>& end) {
    chain(reductions);
    std::map<int32_t, size_t> first, last;
    for (const size_t i : reductions) first.emplace(all_[i].chunk, i);
    for (const size_t i : passes)
      if (all_[i].kind != Kind::forward) last[all_[i].chunk] = i;
    for (const auto& [chunk, reduction] : first)
      if (const auto found = last.find(chunk); found != last.end()) add(reduction, found->second);
    const Time sums_end = all_[reductions.back()].end();
    for (const size_t i : end | std::views::drop(1))
      if (communicates(all_[i].kind) || all_[i].start + same_time >= sums_end)
        return add(i, reductions.back());
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

  void group_transfers() {
    for (size_t i = 0; i < all_.size(); ++i) {
      const size_t other = transfers_.other[i];
      if (other == nothing || other < i) continue;
      graph_.group[i] = graph_.group[other] = graph_.groups++;
    }
  }

  /// Data ranks that communicate within a pass go through it together.
  void group_lockstep() {
    std::map<std::tuple<int32_t, int32_t, Kind, int32_t, int32_t>, size_t> groups;
    for (size_t i = 0; i < all_.size(); ++i) {
      const TracedOperation& one = all_[i];
      if (!computes(one.kind) || one.together == 0) continue;
      const auto [found, fresh] = groups.try_emplace(
          {lockstep_group(one), one.stage, one.kind, one.chunk, one.micro_batch}, graph_.groups);
      if (fresh) ++graph_.groups;
      graph_.group[i] = found->second;
    }
  }

  Meeting meeting_of(const TracedOperation& one, int number) const {
    Meeting meeting{one.kind, one.dp_rank, one.stage, one.group, number};
    if (one.kind == Kind::params_all_gather || one.kind == Kind::grads_reduce_scatter ||
        one.kind == Kind::separate_grads_all_reduce)
      meeting.data = -1;
    if (one.kind == Kind::embedding_grads_all_reduce) meeting.stage = -1;
    if (one.kind == Kind::clip) meeting.data = meeting.stage = -1;
    return meeting;
  }

  void group_collectives() {
    std::map<Meeting, size_t> groups;
    for (int rank = 0; rank < job_.ranks(); ++rank) {
      std::map<std::pair<Kind, int32_t>, int> number;
      for (const size_t i : of_rank(rank, [](const TracedOperation& one) {
             return communicates(one.kind) && !is_transfer(one.kind) &&
                    one.kind != Kind::layernorm_grads_all_reduce;
           })) {
        const Meeting meeting = meeting_of(all_[i], number[{all_[i].kind, all_[i].group}]++);
        const auto [found, fresh] = groups.emplace(meeting, graph_.groups);
        if (fresh) ++graph_.groups;
        graph_.group[i] = found->second;
      }
    }
  }

  const MeasuredJob& job_;
  size_t step_;
  std::vector<size_t> iteration_;  ///< places of a rank, see of_iteration()
  std::span<const TracedOperation> all_;
  Transfers transfers_;
  StepGraph graph_;
};

}  // namespace

StepGraph graph_of(const MeasuredJob& job, size_t step) { return Graph(job, step).run(); }

}  // namespace pipewright::diagnose
