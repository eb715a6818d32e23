#include "diagnose/run_operations.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "base/required.hpp"
#include "diagnose/data_subgroups.hpp"
#include "diagnose/joined_stages.hpp"
#include "diagnose/last_messages.hpp"
#include "diagnose/lockstep.hpp"
#include "diagnose/pass_lanes.hpp"
#include "diagnose/pass_windows.hpp"
#include "diagnose/run_collectives.hpp"
#include "diagnose/run_facts.hpp"
#include "diagnose/run_groups.hpp"
#include "diagnose/run_iterations.hpp"
#include "diagnose/run_passes.hpp"
#include "diagnose/run_stages.hpp"
#include "diagnose/slowed_beside.hpp"
#include "diagnose/step_passes.hpp"
#include "diagnose/stopping_messages.hpp"
#include "diagnose/tensor_peers.hpp"
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
        slowed_(slowed_compute(trace, gathers_)),
        windows_(trace),
        places_(trace, slowed_.longer),
        peers_(trace, places_),
        messages_(trace, places_),
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
    for (size_t rank = 0; rank < spans_.size(); ++rank)
      for (const PassSpan& one : spans_[rank]) stages_.add(place_of(rank).pipeline, one.pass.stage);
    job_.placement = stages_.placement();
    joined_.emplace(trace_, job_.placement);
    iterations_.emplace(trace_, spans_);
    job_.iterations = iterations().numbers();
    messages_stop_ = messages_stop_ranks(trace_, spans_);
    for (size_t rank = 0; rank < spans_.size(); ++rank) add_passes(rank);
    leave_lockstep(job_.operations);
    for (const RunSlice& slice : trace_.slices)
      if (!is_pass(slice.kind)) add(slice);
    for (const RunCollectives::Shown& one : collectives_.shown())
      add_of_step(*one.slice, one.kind, one.group, one.sequence);
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
    passes_[slice.rank].add(slice, gathers_.beside(slice.rank, slice.start, slice.end));
  }

  int32_t chunk_of(size_t rank, int32_t stage) const {
    return stages_.chunk_of(place_of(rank).pipeline, stage);
  }

  TracedOperation operation(size_t rank, OperationKind kind, int32_t step, Time start, Time end) {
    return {.dp_rank = place_of(rank).data,
            .stage = place_of(rank).pipeline,
            .step = step,
            .kind = kind,
            .start = start,
            .duration = end - start};
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
      pass.lane = lanes_.add(rank, one.pass.track);
      pass.micro_batch = one.pass.micro_batch * job_.slices + one.pass.slice;
      pass.iteration = iteration;
      step_passes_.add(rank, place_of(rank).pipeline, number, one);
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
    pass.own =
        std::min(span.computing, pass.duration) - seconds(slowed_.part * in_seconds(span.beside));
    if (!shares && !exchanges) return;
    pass.together = shares ? places_.sharing_weights() : 1;
    if (exchanges) pass.together = std::max(pass.together, places_.sharing_experts());
    Time busy = span.computing;
    for (const Time exchange : pass.exchanges) busy += exchange;
    pass.waits = pass.duration - busy;
    pass.elsewhere = peers_.within(rank);
  }

  void tell_windows(size_t rank, const PassSpan& span, Time begin, TracedOperation& pass) {
    std::vector<PassWindow> windows = windows_.of(rank, begin, span.end, slowed_.part);
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
    const bool moves = slice.kind == SliceKind::message;
    if (moves ? !stands_for_all(slice.rank) : !peers_.is_last(slice.rank)) return;
    switch (slice.kind) {
      case SliceKind::message:
        return add_message(messages_.of(slice));
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

  void add_message(const RunSlice& slice) {
    const bool received = slice.to_rank == trace_.number_of(slice.rank);
    const int32_t next = slice.stage + (slice.back ? -1 : 1);
    TracedOperation one =
        operation(slice.rank, message_kind(slice, received),
                  iterations().step_at(slice.rank, slice.start), slice.start, slice.end);
    one.chunk = chunk_of(slice.rank, received ? next : slice.stage);
    one.micro_batch = slice.micro_batch * job_.slices + slice.slice;
    one.iteration = iterations().iteration_of(slice.micro_batch);
    one.bytes = slice.bytes;
    if (const auto lane = lanes_.find(slice.rank, slice.track)) one.lane = *lane, one.holds = true;
    one.stops = messages_stop_ && !one.holds;
    if (one.chunk < 0) return;
    job_.operations.push_back(one);
    if (one.stops && !received) add_receive(slice, one);
  }

  /// The other side of a message that stands on its sender alone.
  void add_receive(const RunSlice& slice, TracedOperation message) {
    const auto found = rank_of_.find(slice.to_rank);
    if (found == rank_of_.end()) return;
    const size_t receiver = peers_.standing(found->second);
    message.dp_rank = place_of(receiver).data;
    message.stage = place_of(receiver).pipeline;
    message.kind = message_kind(slice, true);
    message.step = iterations().step_at(receiver, slice.start);
    message.chunk = chunk_of(receiver, slice.stage + (slice.back ? -1 : 1));
    if (message.chunk >= 0) job_.operations.push_back(message);
  }

  /// Those of its rank in its step; null: there are none.
  const StepPasses::Ends* passes_beside(const RunSlice& slice) const {
    return step_passes_.of(peers_.standing(slice.rank), number_of(slice));
  }

  /// The step or the iteration: one of them is zero.
  int32_t number_of(const RunSlice& slice) const {
    return iterations().step_of(slice) + iterations().iteration_of(slice);
  }

  /// What stands beside passes costs what sticks out of them. `group`: see TracedOperation.
  void add_of_step(const RunSlice& slice, OperationKind kind, int32_t group = -1,
                   int32_t sequence = -1) {
    const StepPasses::Ends* passes = passes_beside(slice);
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
    if (kind != OperationKind::optimizer) tell_elsewhere(slice, one);
    job_.operations.push_back(one);
  }

  void tell_elsewhere(const RunSlice& slice, TracedOperation& one) const {
    const Time passes = step_passes_.last_end(place_of(slice.rank).pipeline, number_of(slice));
    one.elsewhere = peers_.behind(slice, passes);
    if (one.kind == OperationKind::grads_reduce_scatter)
      one.hidden_elsewhere = peers_.hidden(slice, passes);
  }

  /// Context ranks and the copies of a stage sum with the data ranks.
  void note_data_ranks(const RunSlice& sum) {
    job_.degrees.whole = true;
    const int others = std::max(job_.degrees.context, 1) * stages_.copies_of(sum.stage);
    job_.degrees.data = std::max(job_.degrees.data, sum.devices / others);
  }

  void collect(const RunSlice& slice, OperationKind kind) {
    if (kind == OperationKind::grads_reduce_scatter) note_data_ranks(slice);
    const StepPasses::Ends* passes = passes_beside(slice);
    if (passes == nullptr) return;
    const bool of_stage =
        kind == OperationKind::grads_reduce_scatter || kind == OperationKind::params_all_gather;
    const auto group = static_cast<int32_t>(of_stage ? subgroups_.group_of(slice) : -1);
    collectives_.add(slice, {kind, group, number_of(slice)}, *passes);
  }

  const RunTrace& trace_;
  std::map<int32_t, size_t> rank_of_;  ///< by number
  WeightGathers gathers_;
  SlowedCompute slowed_;
  PassWindows windows_;
  RunGroups places_;
  TensorPeers peers_;
  LastMessages messages_;
  RunStages stages_;
  DataSubgroups subgroups_;
  bool messages_stop_ = false;  ///< see messages_stop_ranks()
  std::vector<RunPasses> passes_;
  std::vector<GroupsOfRank> groups_;  ///< by rank
  bool halved_ = false;               ///< whether weight gradients stand apart
  std::optional<JoinedStages> joined_;
  std::vector<std::vector<PassSpan>> spans_;  ///< by rank
  std::optional<RunIterations> iterations_;
  StepPasses step_passes_;
  RunCollectives collectives_;
  PassLanes lanes_;
  JobTrace job_;
};

}  // namespace

JobTrace job_of(const RunTrace& trace) { return Conversion(trace).run(); }

}  // namespace pipewright::diagnose
