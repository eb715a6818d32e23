#include "network/collectives/pieces.hpp"

namespace pipewright::collective {

Fluid phases_fluid(const std::vector<PhasedRing>& phases) {
  Fluid whole;
  for (const PhasedRing& phase : phases) {
    for (const RingOf& ring : phase.groups) {
      const Fluid own = ring_fluid(phase.kind, ring);
      whole.edges.insert(whole.edges.end(), own.edges.begin(), own.edges.end());
      if (&ring != &phase.groups.front() || own.chain.empty()) continue;
      // Phase by phase each chain leaves out an edge: its last.
      whole.chain.insert(whole.chain.end(), own.chain.begin(), own.chain.end() - 1);
    }
  }
  return whole;
}

Rounds phases_rounds(std::vector<PhasedRing> phases) {
  struct Part {
    int64_t first = 0;
    std::vector<Rounds> groups;
  };
  std::vector<Part> parts;
  int64_t count = 0;
  for (const PhasedRing& phase : phases) {
    Part part{.first = count};
    for (const RingOf& ring : phase.groups) part.groups.push_back(ring_rounds(phase.kind, ring));
    if (!part.groups.empty()) count += part.groups.front().count;
    parts.push_back(std::move(part));
  }
  const auto messages = [parts = std::move(parts)](int64_t round, std::vector<Edge>& out) {
    const auto after = std::upper_bound(parts.begin(), parts.end(), round,
                                        [](int64_t r, const Part& p) { return r < p.first; });
    const Part& part = *std::prev(after);
    for (const Rounds& group : part.groups) group.messages(round - part.first, out);
  };
  return {count, messages};
}

}  // namespace pipewright::collective
