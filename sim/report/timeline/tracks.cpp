#include "report/timeline/tracks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <set>

#include "program/names.hpp"

namespace pipewright {
namespace {

using schedule::Pass;

const char* pass_name(Pass pass) {
  switch (pass) {
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

bool takes_time(const Run& run, OpId op) {
  return run.timeline.spans[op].end > run.timeline.spans[op].start;
}

std::string receiver(const Run& run, uint32_t rank) {
  if (is_traffic(run)) return fmt::format("device {}", run.program.ranks[rank].device);
  return fmt::format("rank {}", rank);
}

const char* stream_name(const Run& run, Stream stream) {
  constexpr const char* names[] = {"compute",
                                   "collectives in passes",
                                   "data collectives",
                                   "compute: backward",
                                   "collectives in passes: backward",
                                   "collectives of copies",
                                   "copies to host",
                                   "copies from host",
                                   "gradients to host",
                                   "weights from host",
                                   "host"};
  return is_trace(run) && !computes(stream) ? "another cpu" : names[static_cast<size_t>(stream)];
}

void add_lanes(const Run& run, std::vector<ReportTrack>& tracks) {
  for (LaneId lane = 0; lane < run.program.lanes.size(); ++lane) {
    const Lane& l = run.program.lanes[lane];
    ReportTrack track{l.rank, stream_name(run, l.stream), {}};
    for (const OpId op : run.program.order(lane))
      if (takes_time(run, op)) track.ops.push_back(op);
    if (!track.ops.empty()) tracks.push_back(std::move(track));
  }
}

void add_route(const Run& run, std::span<const OpId> transfers, std::vector<ReportTrack>& tracks) {
  const Op& any = run.program.ops[transfers.front()];
  const size_t first = tracks.size();
  TrackPool pool;
  for (const OpId op : transfers) {
    const Span& span = run.timeline.spans[op];
    const size_t index = first + pool.take(span.start, span.end);
    if (index == tracks.size())
      tracks.push_back({any.rank, "sends to " + receiver(run, any.peer), {}});
    tracks[index].ops.push_back(op);
  }
}

/// Transfers that occupy no lane, by sender and receiver.
void add_free_transfers(const Run& run, std::vector<ReportTrack>& tracks) {
  const Program& program = run.program;
  const std::vector<Span>& spans = run.timeline.spans;
  std::vector<OpId> transfers;
  for (OpId op = 0; op < program.ops.size(); ++op) {
    if (program.type(op).kind == OpKind::transfer && program.ops[op].lane == none &&
        takes_time(run, op))
      transfers.push_back(op);
  }
  const auto route = [&](OpId op) { return std::pair(program.ops[op].rank, program.ops[op].peer); };
  std::sort(transfers.begin(), transfers.end(), [&](OpId a, OpId b) {
    return std::tuple(route(a), spans[a].start, a) < std::tuple(route(b), spans[b].start, b);
  });
  for (auto from = transfers.begin(); from != transfers.end();) {
    const auto to =
        std::find_if(from, transfers.end(), [&](OpId op) { return route(op) != route(*from); });
    add_route(run, {from, to}, tracks);
    from = to;
  }
}

}  // namespace

std::vector<ReportTrack> report_tracks(const Run& run) {
  std::vector<ReportTrack> tracks;
  add_lanes(run, tracks);
  add_free_transfers(run, tracks);
  return tracks;
}

std::string rank_name(const Run& run, uint32_t rank) {
  const ProgramRank& r = run.program.ranks[rank];
  if (is_traffic(run) || run.program.ranks.size() == run.result.metrics.ranks.size())
    return receiver(run, rank);
  return fmt::format("rank {}: pipeline {}, tensor {}, replica {}", rank, r.pipeline, r.tensor,
                     r.data);
}

bool is_traffic(const Run& run) { return run.result.metrics.ranks.empty(); }

bool is_trace(const Run& run) { return !run.program.labels.empty(); }

const char* category_of(const Run& run, const OpType& type) {
  if (is_trace(run) && type.kind == OpKind::compute) return "compute";
  if (type.kind == OpKind::step) return "step";
  if (type.kind != OpKind::compute) return to_string(type.traffic);
  return type.paired ? "pair" : pass_name(type.pass);
}

bool ends_iteration(const OpType& type) {
  return type.kind == OpKind::step ||
         (type.kind == OpKind::collective && type.traffic == Traffic::data);
}

}  // namespace pipewright
