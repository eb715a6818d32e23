#include "report/trace/trace.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "program/names.hpp"
#include "report/timeline/memory_curve.hpp"
#include "report/timeline/message_ends.hpp"
#include "report/timeline/tracks.hpp"
#include "report/trace/events.hpp"

namespace pipewright {
namespace {

/// The numbers that nothing in the trace has yet. Numbers of processes and threads start at 1, and
/// no two are the same: Perfetto takes 0 for the idle process, and a thread by its number alone.
struct NextNumbers {
  uint32_t process = 1, thread = 1, arrow = 0;
};

/// Writes one run of a trace.
class TraceWriter {
 public:
  TraceWriter(const TracedRun& traced, NextNumbers& next, TraceEvents& events)
      : name_(traced.name),
        program_(traced.run.program),
        spans_(traced.run.timeline.spans),
        run_(traced.run),
        events_(events),
        next_(next),
        first_process_(next.process),
        first_arrow_(next.arrow),
        track_of_(program_.ops.size()) {
    next_.process += static_cast<uint32_t>(program_.ranks.size());
    next_.arrow += static_cast<uint32_t>(program_.ops.size());
  }

  void write() {
    for (uint32_t rank = 0; rank < program_.ranks.size(); ++rank)
      events_.name_process(process(rank), process_of(rank));
    for (const ReportTrack& track : report_tracks(run_)) write_track(track);
    write_repetitions();
    write_arrows();
    write_memory();
    for (const RankResult& rank : run_.result.metrics.ranks) write_account(rank);
  }

 private:
  uint32_t process(uint32_t rank) const { return first_process_ + rank; }

  TraceEvents::Process process_of(uint32_t rank) const {
    const ProgramRank& place = program_.ranks[rank];
    const std::string name = rank_name(run_, rank);
    return {.name = name_.empty() ? name : fmt::format("{}, {}", name_, name),
            .run = name_,
            .pipeline = place.pipeline,
            .tensor = place.tensor,
            .data = place.data,
            .device = place.device,
            .devices = place.multiplicity};
  }

  bool takes_time(OpId op) const { return spans_[op].end > spans_[op].start; }

  Track new_track(uint32_t rank, std::string_view name) {
    const Track track{process(rank), next_.thread++};
    events_.name_thread(track, name);
    return track;
  }

  void write_track(const ReportTrack& shown) {
    const Track track = new_track(shown.rank, shown.name);
    for (const OpId op : shown.ops) {
      // A collective is on a lane of each of its ranks; arrows know the first.
      if (track_of_[op].process == 0) track_of_[op] = track;
      write_slice(track, op);
    }
  }

  void write_slice(Track track, OpId op) {
    events_.begin_slice(track, spans_[op].start, spans_[op].end,
                        category_of(run_, program_.type(op)), name(program_, op));
    describe(op);
    events_.end_slice();
  }

  /// The periods that stand for more, on a track for each pace.
  void write_repetitions() {
    for (const std::vector<Repetition>& pace : run_.timeline.paces) {
      const Track track = new_track(0, "repetition");
      for (const Repetition& repetition : pace) {
        events_.begin_slice(track, repetition.begin, repetition.end(), "repetition",
                            "happens again");
        events_.argument("times", repetition.again);
        events_.end_slice();
      }
    }
  }

  void describe(OpId id) {
    const Op& op = program_.ops[id];
    const OpType& type = program_.type(id);
    if (!is_trace(run_)) describe_pass(op, type);
    if (type.kind == OpKind::transfer || type.kind == OpKind::collective)
      events_.argument("bytes", type.bytes.count);
    if (type.kind == OpKind::transfer && is_traffic(run_))
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
      const uint32_t id = first_arrow_ + op;
      events_.arrow(Arrow::starts, id, track_of_[ends.producer], leaving(ends.producer));
      if (takes_time(op)) events_.arrow(Arrow::passes, id, track_of_[op], spans_[op].start);
      events_.arrow(Arrow::ends, id, track_of_[ends.consumer], spans_[ends.consumer].start);
    }
  }

  void write_memory() {
    const RankOps ops(program_);
    for (uint32_t rank = 0; rank < program_.ranks.size(); ++rank)
      for (const Held& held : memory_curve(run_, ops, rank))
        events_.memory(process(rank), held.from, held.bytes);
  }

  /// The parts of the rank's iteration, as counters that last as long as what they were taken over.
  void write_account(const RankResult& rank) {
    const Breakdown& account = rank.breakdown;
    for (int kind = 0; kind < compute_kinds; ++kind)
      write_part(rank, pipewright::name_of(static_cast<ComputeKind>(kind)), account.compute[kind]);
    for (int kind = 0; kind < traffic_kinds; ++kind)
      write_part(rank, fmt::format("exposed {}", to_string(static_cast<Traffic>(kind))),
                 account.exposed[kind]);
    write_part(rank, "host", account.host);
    write_part(rank, "bubble", account.bubble);
  }

  void write_part(const RankResult& rank, std::string_view name, Time part) {
    if (part == Time{}) return;
    const Window& window = run_.result.metrics.window;
    const auto folded = [&](Time at) { return run_.timeline.folded(rank.simulated, at); };
    events_.account(process(rank.simulated), name, folded(window.begin), part);
    events_.account(process(rank.simulated), name, folded(window.end), {});
  }

  const std::string& name_;
  const Program& program_;
  const std::vector<Span>& spans_;
  const Run& run_;
  TraceEvents& events_;
  NextNumbers& next_;
  uint32_t first_process_, first_arrow_;
  std::vector<Track> track_of_;  ///< by op that takes time: the first it is shown on
};

std::string title_of(std::span<const TracedRun> runs) {
  std::string title;
  for (const auto& [run, name] : runs)
    title += fmt::format("{}{}, {}", title.empty() ? "" : "; ", run.result.schedule,
                         run.timeline.executor);
  return title;
}

}  // namespace

void write_trace(const Run& run, std::ostream& out) {
  const TracedRun only[] = {{run, ""}};
  write_trace(only, out);
}

void write_trace(std::span<const TracedRun> runs, std::ostream& out) {
  TraceEvents events(out, title_of(runs));
  NextNumbers next;
  for (const TracedRun& traced : runs)
    next.thread += static_cast<uint32_t>(traced.run.program.ranks.size());
  for (const TracedRun& traced : runs) TraceWriter(traced, next, events).write();
  events.finish();
}

}  // namespace pipewright
