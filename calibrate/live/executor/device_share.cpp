#include "calibrate/live/executor/device_share.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.hpp"
#include "calibrate/live/messages/ring_traffic.hpp"
#include "calibrate/live/messages/share.hpp"
#include "program/names.hpp"

namespace pipewright::live {
namespace {

using Part = Launch::Part;

class Builder {
 public:
  Builder(const Program& program, uint32_t rank)
      : program_(program), rank_(rank), share_(program, rank), streams_(program.ops.size(), none) {
    for (OpId op = 0; op < program.ops.size(); ++op) find_channel(op);
    for (LaneId lane = 0; lane < program.lanes.size(); ++lane) {
      if (program.lanes[lane].rank != rank) continue;
      for (const OpId op : program.order(lane)) streams_[op] = lane;
    }
  }

  DeviceShare build(const Timeline& predicted) {
    DeviceShare share;
    std::vector<std::vector<OpId>> waits(program_.ops.size());
    for (const OpId op : launch_order(program_, predicted)) {
      for (const Edge edge : program_.after(op)) check_edge(op, edge.to());
      const Part part = part_of(op);
      if (!has_part(op)) continue;
      const size_t stream = stream_of(op);
      share.launches.push_back({op, part, stream, channel_of_[op], std::move(waits[op])});
      for (const Edge edge : program_.after(op))
        if (has_part(edge.to()) && stream_of(edge.to()) != stream) waits[edge.to()].push_back(op);
    }
    share.channels = std::move(channels_);
    return share;
  }

 private:
  using Kind = std::tuple<OpKind, uint32_t, uint32_t, int, int32_t>;

  void find_channel(OpId id) {
    const Op& op = program_.ops[id];
    const OpType& type = program_.type(id);
    channel_of_.push_back(none);
    Kind kind{type.kind, op.rank, op.peer, static_cast<int>(type.pass), type.stage};
    if (type.kind == OpKind::collective) {
      const Stream stream = op.lane == none ? Stream::tensor : program_.lanes[op.lane].stream;
      kind = {type.kind, 0, op.peer, static_cast<int>(stream), 0};
    } else if (type.kind != OpKind::transfer) {
      return;
    }
    const auto [found, is_new] = kinds_.try_emplace(kind, channels_.size());
    if (is_new)
      channels_.push_back({.members = members(id), .of_transfers = type.kind == OpKind::transfer});
    transport::DeviceChannel& channel = channels_[found->second];
    channel.most = std::max(channel.most, type.bytes);
    channel_of_.back() = static_cast<uint32_t>(found->second);
  }

  std::vector<uint32_t> members(OpId op) const {
    switch (program_.type(op).kind) {
      case OpKind::transfer:
        return {program_.ops[op].rank, program_.ops[op].peer};
      case OpKind::collective:
        return share_.members(op);
      default:
        return {program_.ops[op].rank};
    }
  }

  bool has_part(OpId op) const {
    const std::vector<uint32_t> all = members(op);
    return std::find(all.begin(), all.end(), rank_) != all.end();
  }

  Part part_of(OpId op) const {
    switch (program_.type(op).kind) {
      case OpKind::compute:
      case OpKind::step:
        return Part::compute;
      case OpKind::transfer:
        return program_.ops[op].rank == rank_ ? Part::send : Part::receive;
      case OpKind::collective:
        return Part::collective;
      case OpKind::marker:
        return Part::nothing;
      case OpKind::copy:
        break;
    }
    throw Failure("copies to a host cannot be run between devices by this version");
  }

  /// A lane of this rank, or what its channel has for itself. A marker needs none of its own.
  size_t stream_of(OpId op) const {
    if (streams_[op] != none) return streams_[op];
    const size_t channels_at = program_.lanes.size();
    return channel_of_[op] == none ? channels_at + channels_.size() : channels_at + channel_of_[op];
  }

  void check_edge(OpId first, OpId second) const {
    const std::vector<uint32_t> a = members(first), b = members(second);
    if (std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) == a.end())
      throw Failure(fmt::format("{} waits for {}, of which its device cannot hear",
                                describe(program_, second), describe(program_, first)));
  }

  const Program& program_;
  uint32_t rank_;
  Share share_;
  std::map<Kind, size_t> kinds_;
  std::vector<transport::DeviceChannel> channels_;
  std::vector<uint32_t> channel_of_;  ///< by op
  std::vector<uint32_t> streams_;     ///< by op, where it is in a lane of this rank
};

}  // namespace

DeviceShare device_share(const Program& program, uint32_t rank, const Timeline& predicted) {
  for (const Lane& lane : program.lanes)
    ensure(lane.policy == LanePolicy::in_order, "live lanes run in order");
  return Builder(program, rank).build(predicted);
}

void require_dummy_payloads(const Program& program) {
  for (const OpType& type : program.types)
    if (type.kind == OpKind::collective) ring_steps(type.collective, 1);
}

void DummyDevicePayloads::put(const Launch& launch) {
  const OpType& type = program_.type(launch.op);
  if (launch.part == Part::send) return links_.send(launch.channel, type.bytes);
  if (launch.part == Part::receive) return links_.receive(launch.channel, type.bytes);
  links_.collect(launch.channel, type.collective, type.bytes);
}

void put(const Launch& launch, DeviceWork& work, kernels::Streams& streams,
         DevicePayloads& payloads) {
  streams.select(launch.stream, 0);
  for (const OpId first : launch.waits_for) streams.wait_for(end_mark(first));
  streams.mark(start_mark(launch.op));
  if (launch.part == Part::compute)
    work.compute(launch.op);
  else if (launch.part != Part::nothing)
    payloads.put(launch);
  streams.mark(end_mark(launch.op));
}

}  // namespace pipewright::live
