// Programs of messages and collectives between devices, for tests of what shares links.
#pragma once

#include "engine/contention.hpp"
#include "engine/engine.hpp"
#include "engine/op_routes.hpp"
#include "engine/packet_plan.hpp"
#include "engine/price.hpp"
#include "network/alpha_beta.hpp"
#include "program/program.hpp"

namespace pipewright::test {

/// One rank for each device; ops are on no lane but those that they are appended to.
class MessageProgram {
 public:
  explicit MessageProgram(Topology topology) : topology_(std::move(topology)) {
    for (int device = 0; device < topology_.devices(); ++device)
      builder_.program.ranks.push_back({.device = device});
  }

  OpId compute(int device, Time length) {
    durations_.push_back(length);
    return builder_.add({.type = type({}), .rank = static_cast<uint32_t>(device)});
  }
  /// Reading so many bytes of the device's memory.
  OpId compute(int device, Time length, Bytes read) {
    OpType reading{
        .works = {.first = static_cast<uint32_t>(builder_.program.works.size()), .count = 1}};
    builder_.program.works.push_back({.read = read});
    durations_.push_back(length);
    return builder_.add({.type = type(reading), .rank = static_cast<uint32_t>(device)});
  }
  OpId message(int from, int to, Bytes bytes) {
    durations_.push_back(AlphaBeta(topology_).transfer(from, to, bytes));
    return builder_.add({.type = type({.kind = OpKind::transfer, .bytes = bytes}),
                         .rank = static_cast<uint32_t>(from),
                         .peer = static_cast<uint32_t>(to)});
  }
  OpId collective(CollectiveKind kind, std::vector<int32_t> devices, Bytes bytes) {
    const Time alone = AlphaBeta(topology_).collective(kind, devices, bytes);
    return collective(kind, std::move(devices), bytes, alone);
  }
  OpId collective(CollectiveKind kind, std::vector<int32_t> devices, Bytes bytes, Time alone) {
    durations_.push_back(alone);
    builder_.program.groups.push_back(std::move(devices));
    return builder_.add(
        {.type = type({.kind = OpKind::collective, .collective = kind, .bytes = bytes}),
         .peer = static_cast<uint32_t>(builder_.program.groups.size() - 1)});
  }
  /// How long bytes move; by default as long as the links need.
  Prices prices;
  /// A channel in which the k-th receiver gets the k-th message.
  LaneId channel(int device) {
    return builder_.add_lane(static_cast<uint32_t>(device), Stream::data, LanePolicy::matching);
  }
  LaneId lane(int device, Stream stream) {
    return builder_.add_lane(static_cast<uint32_t>(device), stream);
  }
  void append(LaneId lane, OpId op) { builder_.append(lane, op); }
  void depend(OpId first, OpId second) { builder_.depend(first, second); }

  struct Result {
    Timeline alone, shared;
    Timeline resumed;   ///< where the first link had too much to carry
    bool free = false;  ///< of contention
    bool resumed_midway = false;
    Time cut;

    Time end(OpId op) const { return shared.spans[op].end; }
  };

  /// Runs it with packets between nodes; `counts` is told what became of them.
  Timeline run_as_packets(const PacketOptions& options, PacketCounts* counts = nullptr) && {
    const Program program = std::move(builder_).finish();
    const Mirror itself = only_itself;
    const OpRoutes all = find_op_routes(program, topology_, prices, itself).value();
    LaidLinks inside(topology_, {.how = Spreading::How::none});
    Contention contention = find_contention(
        program, prices, durations_, find_op_routes(program, prices, itself, inside).value());
    contention.packets = plan_packets(program, topology_, {}, all, options);
    return run_events(program, durations_, nullptr, &contention, counts);
  }

  Result run() && {
    const Program program = std::move(builder_).finish();
    const Contention contention =
        find_contention(program, prices, durations_,
                        find_op_routes(program, topology_, prices, only_itself).value());
    Result result;
    result.alone = simulate(program, durations_);
    const Time until = first_excess(contention, durations_, result.alone);
    result.free = until == longest_time;
    result.shared = run_events(program, durations_, nullptr, &contention);
    result.resumed = result.shared;
    if (all_in_order(program)) {
      size_t known = 0;
      for (const Span& span : result.alone.spans) known += !result.free && span.end <= until;
      result.resumed_midway = 2 * known >= program.ops.size();
      result.resumed = run_from(until, result.alone, program, durations_, contention);
    }
    result.cut = contention.cut;
    return result;
  }

 private:
  uint32_t type(OpType type) {
    builder_.program.types.push_back(type);
    return static_cast<uint32_t>(builder_.program.types.size() - 1);
  }

  Topology topology_;
  ProgramBuilder builder_;
  std::vector<Time> durations_;
};

}  // namespace pipewright::test
