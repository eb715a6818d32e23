#include "program/program.hpp"

#include "base/error.hpp"
#include "base/stop.hpp"

namespace pipewright {

schedule::Action Program::action(OpId op) const {
  const Op& o = ops[op];
  const OpType& t = types[o.type];
  return {t.pass, t.paired, o.slice, t.stage, o.micro_batch, o.weight_version};
}

LaneId ProgramBuilder::add_lane(uint32_t rank, Stream stream, LanePolicy policy) {
  program.lanes.push_back({rank, stream, policy});
  return static_cast<LaneId>(program.lanes.size() - 1);
}

OpId ProgramBuilder::add(const Op& op) {
  if (program.ops.size() >= 0x7fffffffu) throw Failure("more than two thousand million ops");
  program.ops.push_back(op);
  return static_cast<OpId>(program.ops.size() - 1);
}

void ProgramBuilder::append(LaneId lane, OpId op) {
  Op& o = program.ops[op];
  if (o.lane == none) o.lane = lane;
  occupancies_.push_back({lane, op});
}

void ProgramBuilder::insert(LaneId lane, OpId op, OpId newest) {
  Op& o = program.ops[op];
  if (o.lane == none) o.lane = lane;
  insertions_[lane].push_back({op, newest});
}

void ProgramBuilder::depend(OpId first, OpId second) { dependencies_.push_back({first, second}); }

void ProgramBuilder::reserve(size_t ops) {
  program.ops.reserve(ops);
  occupancies_.reserve(ops);
  dependencies_.reserve(2 * ops);
}

void ProgramBuilder::place_insertions() {
  if (insertions_.empty()) return;
  std::vector<Occupancy> all;
  std::map<LaneId, size_t> placed;
  const auto place = [&](LaneId lane, const std::vector<Insertion>& insertions, OpId before) {
    size_t& next = placed[lane];
    for (; next < insertions.size() && insertions[next].newest < before; ++next)
      all.push_back({lane, insertions[next].op});
  };
  for (const Occupancy& o : occupancies_) {
    const auto found = insertions_.find(o.lane);
    if (found != insertions_.end()) place(o.lane, found->second, o.op);
    all.push_back(o);
  }
  for (const auto& [lane, insertions] : insertions_) place(lane, insertions, none);
  occupancies_ = std::move(all);
  insertions_.clear();
}

void ProgramBuilder::pack_lanes() {
  place_insertions();
  Program& p = program;
  p.lane_offset.assign(p.lanes.size() + 1, 0);
  for (const Occupancy& o : occupancies_) ++p.lane_offset[o.lane + 1];
  for (size_t l = 0; l < p.lanes.size(); ++l) p.lane_offset[l + 1] += p.lane_offset[l];
  p.lane_ops.resize(occupancies_.size());
  std::vector<uint32_t> next(p.lane_offset.begin(), p.lane_offset.end() - 1);
  for (const Occupancy& o : occupancies_) p.lane_ops[next[o.lane]++] = o.op;
  std::vector<Occupancy>().swap(occupancies_);
}

void ProgramBuilder::pack_edges() {
  Program& p = program;
  const auto each_lane_edge = [&](auto&& visit) {
    for (LaneId lane = 0; lane < p.lanes.size(); ++lane) {
      if (p.lanes[lane].policy != LanePolicy::in_order) continue;
      const std::span<const OpId> order = p.order(lane);
      for (size_t k = 1; k < order.size(); ++k) visit(order[k - 1], order[k]);
    }
  };
  p.waits.assign(p.ops.size(), 0);
  p.edge_offset.assign(p.ops.size() + 1, 0);
  const auto count = [&](OpId first, OpId second) {
    ++p.edge_offset[first + 1];
    ++p.waits[second];
  };
  for (const Dependency& d : dependencies_) count(d.first, d.second);
  stop_here();
  each_lane_edge(count);
  stop_here();
  for (size_t o = 0; o < p.ops.size(); ++o) p.edge_offset[o + 1] += p.edge_offset[o];
  p.edges.resize(p.edge_offset.back());
  std::vector<uint32_t> next(p.edge_offset.begin(), p.edge_offset.end() - 1);
  // The lane's edge first: whoever walks depth-first keeps to the lane last, which is the order of
  // memory.
  each_lane_edge([&](OpId a, OpId b) { p.edges[next[a]++] = {b | 0x80000000u}; });
  stop_here();
  for (const Dependency& d : dependencies_) p.edges[next[d.first]++] = {d.second};
  std::vector<Dependency>().swap(dependencies_);
}

Program ProgramBuilder::finish() && {
  pack_lanes();
  stop_here();
  pack_edges();
  return std::move(program);
}

}  // namespace pipewright
