#include "report/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <set>

#include "program/names.hpp"
#include "report/message_ends.hpp"
#include "report/trace_events.hpp"
#include "result/rank_moments.hpp"

namespace pipewright {
namespace {

using schedule::Pass;

const char* category(const OpType& type) {
  if (type.kind == OpKind::step) return "step";
  if (type.kind != OpKind::compute) return to_string(type.traffic);
  if (type.paired) return "pair";
  switch (type.pass) {
    case Pass::forward:
      return "forward";
    case Pass::backward:
      return "backward";
    case Pass::input_gradient:
      return "input_gradient";
    case Pass::weight_gradient:
      return "weight_gradient";
  }
  return "";
}

/// Such ops count optimizer steps, not micro-batches.
bool ends_iteration(const OpType& type) {
  return type.kind == OpKind::step ||
         (type.kind == OpKind::collective && type.traffic == Traffic::data);
}

/// The tracks of overlapping intervals that come in order of their starts: each takes the lowest
/// track that is free.
class TrackPool {
 public:
  size_t take(Time start, Time end) {
    for (; !busy_.empty() && busy_.top().first <= start; busy_.pop())
      free_.insert(busy_.top().second);
    if (free_.empty()) free_.insert(count_++);
    const size_t track = *free_.begin();
    free_.erase(free_.begin());
    busy_.push({end, track});
    return track;
  }

 private:
  using Busy = std::pair<Time, size_t>;
  std::priority_queue<Busy, std::vector<Busy>, std::greater<>> busy_;
  std::set<size_t> free_;
  size_t count_ = 0;
};

class TraceWriter {
 public:
  TraceWriter(const Run& run, std::ostream& out)
      : program_(run.program),
        spans_(run.timeline.spans),
        run_(run),
        events_(out, fmt::format("{}, {}", run.result.schedule, run.timeline.executor)),
        next_thread_(static_cast<uint32_t>(program_.ranks.size()) + 1),
        track_of_(program_.ops.size()) {}

  void write() {
    for (uint32_t rank = 0; rank < program_.ranks.size(); ++rank)
      events_.name_process(process(rank), rank_name(rank));
    for (LaneId lane = 0; lane < program_.lanes.size(); ++lane) write_lane(lane);
    write_free_transfers();
    write_arrows();
    write_memory();
    events_.finish();
  }

 private:
  /// Numbers of processes and threads start at 1, and no two are the same: Perfetto takes 0 for the
  /// idle process, and a thread by its number alone.
  static uint32_t process(uint32_t rank) { return rank + 1; }

  bool takes_time(OpId op) const { return spans_[op].end > spans_[op].start; }

  /// Ops with names of their own belong to no pass of a schedule.
  bool has_own_names() const { return !program_.labels.empty(); }

  /// Flows between devices, without ranks.
  bool is_traffic() const { return run_.result.metrics.ranks.empty(); }

  std::string receiver(uint32_t rank) const {
    if (is_traffic()) return fmt::format("device {}", program_.ranks[rank].device);
    return fmt::format("rank {}", rank);
  }

  std::string rank_name(uint32_t rank) const {
    const ProgramRank& r = program_.ranks[rank];
    if (is_traffic()) return receiver(rank);
    if (program_.ranks.size() == run_.result.metrics.ranks.size())
      return fmt::format("rank {}", rank);
    return fmt::format("rank {}: pipeline {}, tensor {}, replica {}", rank, r.pipeline, r.tensor,
                       r.data);
  }

  Track new_track(uint32_t rank, std::string_view name) {
    const Track track{process(rank), next_thread_++};
    events_.name_thread(track, name);
    return track;
  }

  void write_lane(LaneId lane) {
    constexpr const char* names[] = {"compute", "tensor collectives", "data collectives",
                                     "compute: backward", "tensor collectives: backward"};
    const std::span<const OpId> order = program_.order(lane);
    if (std::none_of(order.begin(), order.end(), [&](OpId op) { return takes_time(op); })) return;
    const Lane& l = program_.lanes[lane];
    const char* name = names[static_cast<size_t>(l.stream)];
    if (has_own_names() && !computes(l.stream)) name = "another cpu";
    const Track track = new_track(l.rank, name);
    for (const OpId op : order) {
      if (!takes_time(op)) continue;
      if (program_.ops[op].lane == lane) track_of_[op] = track;
      write_slice(track, op);
    }
  }

  void write_slice(Track track, OpId op) {
    const OpType& type = program_.type(op);
    const bool calc = has_own_names() && type.kind == OpKind::compute;
    events_.begin_slice(track, spans_[op].start, spans_[op].end, calc ? "compute" : category(type),
                        name(program_, op));
    describe(op);
    events_.end_slice();
  }

  void describe(OpId id) {
    const Op& op = program_.ops[id];
    const OpType& type = program_.type(id);
    if (!has_own_names()) describe_pass(op, type);
    if (type.kind == OpKind::transfer || type.kind == OpKind::collective)
      events_.argument("bytes", type.bytes.count);
    if (type.kind == OpKind::transfer && is_traffic())
      events_.argument("to_device", program_.ranks[op.peer].device);
    else if (type.kind == OpKind::transfer)
      events_.argument("to_rank", op.peer);
    if (type.kind == OpKind::collective)
      events_.argument("devices", static_cast<int64_t>(program_.groups[op.peer].size()));
  }

  void describe_pass(const Op& op, const OpType& type) {
    events_.argument("stage", type.stage);
    if (ends_iteration(type)) {
      events_.argument("step", op.micro_batch);
    } else {
      events_.argument("micro_batch", op.micro_batch);
      events_.argument("slice", op.slice);
    }
    if (type.kind == OpKind::compute) events_.argument("weight_version", op.weight_version);
    if (type.paired) describe_second(program_.partners[op.peer]);
  }

  void describe_second(const schedule::Action& action) {
    events_.argument("second_stage", action.stage);
    events_.argument("second_micro_batch", action.micro_batch);
    events_.argument("second_slice", action.slice);
  }

  /// Transfers that occupy no lane, by sender and receiver.
  void write_free_transfers() {
    std::vector<OpId> transfers;
    for (OpId op = 0; op < program_.ops.size(); ++op) {
      if (program_.type(op).kind == OpKind::transfer && program_.ops[op].lane == none &&
          takes_time(op))
        transfers.push_back(op);
    }
    const auto route = [&](OpId op) {
      return std::pair(program_.ops[op].rank, program_.ops[op].peer);
    };
    std::sort(transfers.begin(), transfers.end(), [&](OpId a, OpId b) {
      return std::tuple(route(a), spans_[a].start, a) < std::tuple(route(b), spans_[b].start, b);
    });
    for (auto from = transfers.begin(); from != transfers.end();) {
      const auto to =
          std::find_if(from, transfers.end(), [&](OpId op) { return route(op) != route(*from); });
      write_route({from, to});
      from = to;
    }
  }

  void write_route(std::span<const OpId> transfers) {
    const Op& any = program_.ops[transfers.front()];
    TrackPool pool;
    std::vector<Track> tracks;
    for (const OpId op : transfers) {
      const size_t index = pool.take(spans_[op].start, spans_[op].end);
      if (index == tracks.size()) {
        tracks.push_back(new_track(any.rank, fmt::format("sends to {}", receiver(any.peer))));
      }
      track_of_[op] = tracks[index];
      write_slice(tracks[index], op);
    }
  }

  /// An arrow leaves a slice within its last nanosecond: later than that, a viewer that rounds
  /// would find the next slice.
  Time leaving(OpId op) const {
    return std::max(spans_[op].start, spans_[op].end - nanoseconds(1));
  }

  void write_arrows() {
    const MessageIndex messages(program_, run_.timeline);
    for (OpId op = 0; op < program_.ops.size(); ++op) {
      if (program_.type(op).kind != OpKind::transfer) continue;
      const MessageEnds ends = messages.ends(op);
      if (ends.producer == none || ends.consumer == none) continue;
      using Arrow = TraceEvents::Arrow;
      events_.arrow(Arrow::starts, op, track_of_[ends.producer], leaving(ends.producer));
      if (takes_time(op)) events_.arrow(Arrow::passes, op, track_of_[op], spans_[op].start);
      events_.arrow(Arrow::ends, op, track_of_[ends.consumer], spans_[ends.consumer].start);
    }
  }

  void write_memory() {
    const RankOps ops(program_);
    for (uint32_t rank = 0; rank < program_.ranks.size(); ++rank)
      if (!ops.servers(rank).empty()) write_memory(ops, rank);
  }

  /// What a rank holds all the time, and what ops take at their start and give back at their end.
  /// One value for each moment: the last.
  void write_memory(const RankOps& ops, uint32_t rank) {
    const auto pipeline_rank = static_cast<size_t>(program_.ranks[rank].pipeline);
    const std::vector<RankResult>& ranks = run_.result.metrics.ranks;
    Bytes held;
    if (pipeline_rank < ranks.size()) {
      const MemoryUse& memory = ranks[pipeline_rank].memory;
      held = memory.total() - memory.activations;
    }
    Time at;
    const auto change = [&](Time time, Bytes by) {
      if (by == Bytes{}) return;
      if (time != at) events_.memory(process(rank), at, held);
      at = time;
      held += by;
    };
    for (const Moment& moment : ops.moments(run_.timeline, rank))
      change(moment.at, ops.growth(moment, rank));
    events_.memory(process(rank), at, held);
  }

  const Program& program_;
  const std::vector<Span>& spans_;
  const Run& run_;
  TraceEvents events_;
  uint32_t next_thread_;
  std::vector<Track> track_of_;  ///< by op that takes time: the first it is shown on
};

}  // namespace

void write_trace(const Run& run, std::ostream& out) { TraceWriter(run, out).write(); }

}  // namespace pipewright
