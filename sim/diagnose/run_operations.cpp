#include "diagnose/run_operations.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "base/required.hpp"
#include "diagnose/data_subgroups.hpp"
#include "diagnose/joined_stages.hpp"
#include "diagnose/lockstep.hpp"
#include "diagnose/pass_windows.hpp"
#include "diagnose/run_facts.hpp"
#include "diagnose/run_groups.hpp"
#include "diagnose/run_iterations.hpp"
#include "diagnose/run_passes.hpp"
#include "diagnose/slowed_beside.hpp"
#include "diagnose/stopping_messages.hpp"
#include "diagnose/weight_gathers.hpp"
#include "diagnose/within_passes.hpp"

namespace pipewright::diagnose {
namespace {

using SliceKind = RunSliceKind;

class Conversion {
 public:
  explicit Conversion(const RunTrace& trace)
      : trace_(trace),
        gathers_(trace),
        windows_(trace),
        places_(trace),
        subgroups_(trace, places_) {
    job_.one_clock = job_.folds = true;
    job_.degrees = places_.degrees();
    job_.slow_members = places_.slow_members();
    passes_.resize(trace.ranks.size());
    groups_.resize(trace.ranks.size());
    for (size_t rank = 0; rank < trace.ranks.size(); ++rank) rank_of_[trace.number_of(rank)] = rank;
    for (const RunSlice& slice : trace.slices) {
      job_.slices = std::max({job_.slices, slice.slice + 1, slice.second_slice + 1});
      if (!stands_for_all(slice.rank)) continue;
      if (is_pass(slice.kind)) add_piece(slice), groups_[slice.rank].add_piece(slice);
      if (is_within_passes(slice.kind)) groups_[slice.rank].add(slice);
      halved_ |= slice.kind == SliceKind::weight_gradient;
    }
  }

  JobTrace run() && {
    for (size_t rank = 0; rank < passes_.size(); ++rank) spans_.push_back(passes_[rank].in_order());
    place_stages();
    joined_.emplace(trace_, job_.placement);
    iterations_.emplace(trace_, spans_);
    job_.iterations = iterations().numbers();
    slowed_ = slowed_beside_.part();
    messages_stop_ = messages_stop_ranks(trace_, spans_);
    for (size_t rank = 0; rank < spans_.size(); ++rank) add_passes(rank);
    leave_lockstep(job_.operations);
    for (const RunSlice& slice : trace_.slices)
      if (!is_pass(slice.kind) && stands_for_all(slice.rank)) add(slice);
    add_collectives();
    tell_facts(trace_, places_, job_);
    add_notes(trace_, places_, iterations(), spans_, job_);
    return std::move(job_);
  }

 private:
  const RunTraceRank& place_of(size_t rank) const { return places_.place_of(rank); }
  const RunIterations& iterations() const {
    return required(iterations_, "iterations are known by now");
  }
  bool stands_for_all(size_t rank) const { return places_.stands_for_all(rank); }

  void add_piece(const RunSlice& slice) {
    const Time beside = gathers_.beside(slice.rank, slice.start, slice.end);
    passes_[slice.rank].add(slice, beside);
    if (slice.kind != SliceKind::pair) slowed_beside_.add(slice, beside);
  }

  void place_stages() {
    std::map<int32_t, std::set<int32_t>> stages;
    for (size_t rank = 0; rank < spans_.size(); ++rank)
      for (const PassSpan& one : spans_[rank])
        stages[place_of(rank).pipeline].insert(one.pass.stage);
    job_.placement.resize(stages.empty() ? 0 : static_cast<size_t>(stages.rbegin()->first) + 1);
    for (const auto& [pipeline, all] : stages)
      job_.placement[static_cast<size_t>(pipeline)].assign(all.begin(), all.end());
  }

  int32_t chunk_of(size_t rank, int32_t stage) const {
    const auto pipeline = static_cast<size_t>(place_of(rank).pipeline);
    if (pipeline >= job_.placement.size()) return -1;  // no rank there has a pass
    const std::vector<int32_t>& stages = job_.placement[pipeline];
    const auto found = std::ranges::find(stages, stage);
    return found == stages.end() ? -1 : static_cast<int32_t>(found - stages.begin());
  }

  TracedOperation operation(size_t rank, OperationKind kind, int32_t step, Time start, Time end) {
    return {.dp_rank = place_of(rank).data,
            .stage = place_of(rank).pipeline,
            .step = step,
            .kind = kind,
            .start = start,
            .duration = end - start};
  }

  uint8_t lane_of(size_t rank, int64_t track) {
    const auto fresh = static_cast<uint8_t>(std::min<size_t>(lanes_of_rank_[rank], UINT8_MAX));
    const auto [found, added] = lanes_.try_emplace({rank, track}, fresh);
    if (added) ++lanes_of_rank_[rank];
    return found->second;
  }

  void add_passes(size_t rank) {
    groups_[rank].sort();
    std::map<int32_t, Time> ends;  // by step or iteration, the last end of a pass
    for (const PassSpan& one : spans_[rank]) {
      const int32_t step = iterations().step_at(rank, one.start),
                    iteration = iterations().iteration_of(one.pass.micro_batch);
      const int32_t number = step + iteration;  // one of them is zero
      const auto before = ends.find(number);
      const Time begin =
          before == ends.end() ? one.start : gathers_.begin_of(rank, one, before->second);
      ends[number] = one.end;
      TracedOperation pass = operation(rank, one.pass.kind, step, begin, one.end);
      pass.chunk = chunk_of(rank, one.pass.stage);
      pass.overlaps_next = one.overlaps_next;
      pass.lane = lane_of(rank, one.pass.track);
      pass.micro_batch = one.pass.micro_batch * job_.slices + one.pass.slice;
      pass.iteration = iteration;
      auto& [first, last] =
          passes_of_step_.try_emplace({rank, number}, one.start, one.end).first->second;
      last = std::max(last, one.end);
      if (!one.overlaps_next) {
        const Breakdown exposed = groups_[rank].exposed_in(one, halved_);
        job_.within[{pass.dp_rank, pass.stage, number}].add(exposed, 1);
        tell_exchanges(pass, exposed);
        tell_lockstep(rank, one, begin, pass);
        tell_windows(rank, one, begin, pass);
        wait_within(pass, number);
      }
      job_.operations.push_back(pass);
    }
  }

  static void tell_exchanges(TracedOperation& pass, const Breakdown& exposed) {
    const auto part = [&](Traffic traffic) {
      return exposed.exposed[static_cast<size_t>(traffic)];
    };
    pass.exchanges = {part(Traffic::tensor), part(Traffic::context), part(Traffic::expert)};
  }

  /// What such a pass neither computes nor exchanges it waits for data ranks.
  void tell_lockstep(size_t rank, const PassSpan& span, Time begin, TracedOperation& pass) {
    const bool shares = gathers_.meets_within(rank, span, begin);
    const bool exchanges = pass.exchanges.back() > Time{};
    pass.own = std::min(span.computing, pass.duration) - seconds(slowed_ * in_seconds(span.beside));
    if (!shares && !exchanges) return;
    pass.together = shares ? places_.sharing_weights() : 1;
    if (exchanges) pass.together = std::max(pass.together, places_.sharing_experts());
    Time busy = span.computing;
    for (const Time exchange : pass.exchanges) busy += exchange;
    pass.waits = pass.duration - busy;
  }

  void tell_windows(size_t rank, const PassSpan& span, Time begin, TracedOperation& pass) {
    std::vector<PassWindow> windows = windows_.of(rank, begin, span.end, slowed_);
    if (windows.empty()) return;
    pass.windows = static_cast<int32_t>(job_.windows.size());
    job_.windows.push_back(std::move(windows));
  }

  void wait_within(const TracedOperation& pass, int32_t number) {
    if (pass.waits <= Time{}) return;
    Breakdown waiting;
    waiting[pass.exchanges.back() > Time{} ? Traffic::expert : Traffic::data] = pass.waits;
    waiting[compute_of(pass.kind, halved_)] = pass.waits;
    job_.within[{pass.dp_rank, pass.stage, number}].add(waiting, 1);
  }

  void add(const RunSlice& slice) {
    switch (slice.kind) {
      case SliceKind::message:
        return add_message(slice);
      case SliceKind::update:
        return add_of_step(slice, OperationKind::optimizer);
      case SliceKind::data_sum:
        return collect(slice,
                       required(joined_, "stages that are joined are known by now").kind_of(slice));
      case SliceKind::data_gather:
        return collect(slice, OperationKind::params_all_gather);
      default:  // within passes
        return;
    }
  }

  static OperationKind kind_of(const RunSlice& message, bool received) {
    using enum OperationKind;
    if (received) return message.back ? backward_recv : forward_recv;
    return message.back ? backward_send : forward_send;
  }

  void add_message(const RunSlice& slice) {
    const bool received = slice.to_rank == trace_.number_of(slice.rank);
    const int32_t next = slice.stage + (slice.back ? -1 : 1);
    TracedOperation one =
        operation(slice.rank, kind_of(slice, received),
                  iterations().step_at(slice.rank, slice.start), slice.start, slice.end);
    one.chunk = chunk_of(slice.rank, received ? next : slice.stage);
    one.micro_batch = slice.micro_batch * job_.slices + slice.slice;
    one.iteration = iterations().iteration_of(slice.micro_batch);
    one.bytes = slice.bytes;
    if (const auto lane = lanes_.find({slice.rank, slice.track}); lane != lanes_.end()) {
      one.lane = lane->second;
      one.holds = true;
    }
    one.stops = messages_stop_ && !one.holds;
    if (one.chunk < 0) return;
    job_.operations.push_back(one);
    if (one.stops && !received) add_receive(slice, one);
  }

  /// The other side of a message that stands on its sender alone.
  void add_receive(const RunSlice& slice, TracedOperation message) {
    const auto found = rank_of_.find(slice.to_rank);
    if (found == rank_of_.end() || !stands_for_all(found->second)) return;
    const size_t receiver = found->second;
    message.dp_rank = place_of(receiver).data;
    message.stage = place_of(receiver).pipeline;
    message.kind = kind_of(slice, true);
    message.step = iterations().step_at(receiver, slice.start);
    message.chunk = chunk_of(receiver, slice.stage + (slice.back ? -1 : 1));
    if (message.chunk >= 0) job_.operations.push_back(message);
  }

  /// When the passes of the rank begin and end in the step of `slice`; null: it has none.
  const std::pair<Time, Time>* passes_beside(const RunSlice& slice) const {
    const auto found = passes_of_step_.find({slice.rank, number_of(slice)});
    return found == passes_of_step_.end() ? nullptr : &found->second;
  }

  /// The step or the iteration: one of them is zero.
  int32_t number_of(const RunSlice& slice) const {
    return iterations().step_of(slice) + iterations().iteration_of(slice);
  }

  /// What stands beside passes costs what sticks out of them. `group`: see TracedOperation.
  void add_of_step(const RunSlice& slice, OperationKind kind, int32_t group = -1,
                   int32_t sequence = -1) {
    const std::pair<Time, Time>* passes = passes_beside(slice);
    if (passes == nullptr) return;
    const auto [begin, end] = *passes;
    const bool before = slice.end <= begin;
    if (!before && slice.end <= end) return;
    TracedOperation one = operation(slice.rank, kind, iterations().step_of(slice),
                                    before ? slice.start : std::max(slice.start, end), slice.end);
    one.chunk = std::max(chunk_of(slice.rank, slice.stage), 0);
    one.iteration = iterations().iteration_of(slice);
    one.bytes = slice.bytes;
    one.group = group;
    one.sequence = sequence;
    job_.operations.push_back(one);
  }

  /// Returns how many ranks of a pipeline hold the stage; at least one.
  int copies_of(int32_t stage) const {
    const auto copies = std::ranges::count_if(job_.placement, [&](const auto& stages) {
      return std::ranges::find(stages, stage) != stages.end();
    });
    return std::max(static_cast<int>(copies), 1);
  }

  /// Context ranks and the copies of a stage sum with the data ranks.
  void note_data_ranks(const RunSlice& sum) {
    job_.degrees.whole = true;
    const int others = std::max(job_.degrees.context, 1) * copies_of(sum.stage);
    job_.degrees.data = std::max(job_.degrees.data, sum.devices / others);
  }

  static bool is_of_one_stage(OperationKind kind) {
    return kind == OperationKind::grads_reduce_scatter || kind == OperationKind::params_all_gather;
  }

  void collect(const RunSlice& slice, OperationKind kind) {
    if (kind == OperationKind::grads_reduce_scatter) note_data_ranks(slice);
    const std::pair<Time, Time>* passes = passes_beside(slice);
    if (passes == nullptr) return;
    const bool before = slice.end <= passes->first;
    const int64_t group = is_of_one_stage(kind) ? subgroups_.group_of(slice) : -1;
    auto& of_rank = collectives_[{kind, group, slice.stage, number_of(slice), before}][slice.rank];
    if (before || slice.end > passes->second) of_rank.push_back(&slice);
  }

  /// Those that a member hides behind its passes cost nobody anything: who waits in them waits for
  /// these passes. The last ones are left, as many on each member.
  void add_collectives() {
    const std::map<Time, int32_t> order = order_of_collectives();
    for (auto& [which, members] : collectives_) {
      size_t fewest = SIZE_MAX;
      for (const auto& [rank, own] : members) fewest = std::min(fewest, own.size());
      for (auto& [rank, own] : members) {
        std::ranges::stable_sort(own, {}, &RunSlice::start);
        for (size_t i = own.size() - fewest; i < own.size(); ++i)
          add_of_step(*own[i], std::get<0>(which), std::get<1>(which), order.at(own[i]->start));
      }
    }
  }

  /// By start. Where passes hide their beginnings they seem to begin at once, and all members go
  /// through them in one order.
  std::map<Time, int32_t> order_of_collectives() const {
    std::map<Time, int32_t> order;
    for (const auto& [which, members] : collectives_)
      for (const auto& [rank, own] : members)
        for (const RunSlice* one : own) order.emplace(one->start, 0);
    int32_t next = 0;
    for (auto& [start, number] : order) number = next++;
    return order;
  }

  const RunTrace& trace_;
  std::map<int32_t, size_t> rank_of_;  ///< by number
  WeightGathers gathers_;
  PassWindows windows_;
  RunGroups places_;
  DataSubgroups subgroups_;
  bool messages_stop_ = false;  ///< see messages_stop_ranks()
  std::vector<RunPasses> passes_;
  std::vector<GroupsOfRank> groups_;  ///< by rank
  bool halved_ = false;               ///< whether weight gradients stand apart
  SlowedBeside slowed_beside_;
  double slowed_ = 0;  ///< by this part of the time beside communication compute takes longer
  std::optional<JoinedStages> joined_;
  std::vector<std::vector<PassSpan>> spans_;  ///< by rank
  std::optional<RunIterations> iterations_;
  /// By rank and step or iteration, when its passes begin and end.
  std::map<std::pair<size_t, int32_t>, std::pair<Time, Time>> passes_of_step_;
  /// By kind, group, stage, step or iteration and whether they come before all passes, then by
  /// rank: those that passes of the rank do not hide.
  std::map<std::tuple<OperationKind, int32_t, int32_t, int32_t, bool>,
           std::map<size_t, std::vector<const RunSlice*>>>
      collectives_;
  std::map<std::pair<size_t, int64_t>, uint8_t> lanes_;  ///< by rank and track, of passes
  std::map<size_t, size_t> lanes_of_rank_;
  JobTrace job_;
};

}  // namespace

JobTrace job_of(const RunTrace& trace) { return Conversion(trace).run(); }

}  // namespace pipewright::diagnose
