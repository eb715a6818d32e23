#include "engine/remaining.hpp"

#include <algorithm>

namespace pipewright {
namespace {

/// Returns, by op of the whole, its number in `ops`; `none` for the others.
std::vector<uint32_t> indices_of(std::span<const OpId> ops, size_t count) {
  std::vector<uint32_t> index(count, none);
  for (uint32_t k = 0; k < ops.size(); ++k) index[ops[k]] = k;
  return index;
}

Edge redirected(Edge edge, OpId to) { return {edge.to_and_kind - edge.to() + to}; }

void add_ops(const Program& whole, std::span<const uint32_t> index, RemainingRun& remaining) {
  Program& program = remaining.program;
  program.types = whole.types;
  program.waits.resize(remaining.ops.size());
  for (const OpId op : remaining.ops) {
    program.ops.push_back(whole.ops[op]);
    program.edge_offset.push_back(static_cast<uint32_t>(program.edges.size()));
    for (const Edge edge : whole.after(op)) {
      const uint32_t to = index[edge.to()];
      program.edges.push_back(redirected(edge, to));
      ++program.waits[to];
    }
  }
  program.edge_offset.push_back(static_cast<uint32_t>(program.edges.size()));
}

void add_ends(const Program& whole, std::span<const Span> spans, std::span<const uint32_t> index,
              RemainingRun& remaining) {
  remaining.before.resize(remaining.ops.size());
  for (OpId op = 0; op < spans.size(); ++op) {
    if (index[op] != none) continue;
    for (const Edge edge : whole.after(op)) {
      if (index[edge.to()] == none) continue;
      Span& before = remaining.before[index[edge.to()]];
      Time& latest = edge.is_lane() ? before.start : before.ready;
      latest = std::max(latest, spans[op].end);
    }
  }
}

}  // namespace

RemainingRun remaining_of(const Program& program, std::span<const Time> duration,
                          const Contention& contention, std::span<const Span> spans, Time until) {
  RemainingRun remaining;
  for (OpId op = 0; op < spans.size(); ++op)
    if (spans[op].end > until) remaining.ops.push_back(op);
  const std::vector<uint32_t> index = indices_of(remaining.ops, spans.size());
  add_ops(program, index, remaining);
  add_ends(program, spans, index, remaining);
  remaining.contention = {contention.links,    contention.routes, {},
                          contention.channels, contention.alike,  contention.cut};
  for (const OpId op : remaining.ops) {
    remaining.duration.push_back(duration[op]);
    remaining.contention.route_of.push_back(contention.route_of[op]);
  }
  return remaining;
}

}  // namespace pipewright
