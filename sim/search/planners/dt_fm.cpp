// DT-FM (arXiv 2206.01288): devices far from each other placed by latency and bandwidth.
//
// Assumption: no tensor parallelism; p stages of as many replicas; every device's messages take
//   latency + bytes / bandwidth, by the cluster's own times between every two devices; devices of a
//   stage exchange gradients pairwise, stages send their activations over partners' links.
// Cost of a placement (search/geo_assignment.cpp): the dearest group's exchange of gradients and
//   twice the shortest path through all groups, an edge being the best pairing's slowest link.
// Search: for every depth a seeded genetic search with swaps; stages balanced, each by its devices;
//   micro-batches of powers of two up to 8 under gpipe and 1f1b; in the order of closed form plus
//   communication the best of those that fit, as simulated.
// Limits: placement and partition are found one after the other; up to 256 devices.
#include <algorithm>

#include "search/chain.hpp"
#include "search/geo_assignment.hpp"
#include "search/registry.hpp"
#include "search/space.hpp"

namespace pipewright::search {
namespace {

constexpr int most_devices = 256;
constexpr Bytes probe = 16 * MiB;

/// Everything of `GeoProblem` but the grid.
GeoProblem distances(const Chain& chain, int devices) {
  GeoProblem geo{.stages = 1, .replicas = devices};
  for (int32_t from = 0; from < devices; ++from) {
    for (int32_t to = 0; to < devices; ++to) {
      const bool other = from != to;
      const double latency = other ? in_seconds(chain.prices.transfer(from, to, {})) : 0;
      const double all = other ? in_seconds(chain.prices.transfer(from, to, probe)) : 0;
      geo.latency_s.push_back(latency);
      geo.seconds_per_byte.push_back((all - latency) / static_cast<double>(probe.count));
    }
  }
  return geo;
}

std::vector<int32_t> placement_of(const GeoPlan& plan) {
  std::vector<int32_t> placement;
  for (const std::vector<int>& stage : plan.stages)
    placement.insert(placement.end(), stage.begin(), stage.end());
  if (std::ranges::is_sorted(placement)) placement.clear();
  return placement;
}

class Job {
 public:
  explicit Job(const Problem& problem)
      : problem_(problem),
        given_(given_by(problem)),
        chain_(chain_of(problem, {.data = given_.devices, .schedule = schedule_named("1f1b")})) {
    if (given_.devices > most_devices)
      throw Misfit("its genetic search is meant for at most 256 devices");
    geo_ = distances(chain_, given_.devices);
  }

  Proposal propose() {
    const auto links = static_cast<int>(chain_.links.size());
    for (const int pipeline : divisors(given_.devices))
      if (pipeline <= links) try_depth(pipeline);
    std::ranges::stable_sort(found_, {}, &Estimated::estimate);
    return best_of(problem_, found_, static_cast<size_t>(problem_.simulations));
  }

 private:
  void try_depth(int pipeline) {
    geo_.stages = pipeline;
    geo_.replicas = given_.devices / pipeline;
    if (given_.global % geo_.replicas != 0) return;
    Bytes gradients, sent;
    for (const Link& link : chain_.links) {
      gradients += link.gradients;
      sent = std::max(sent, link.output);
    }
    geo_.gradient_bytes = static_cast<double>(gradients.count) / pipeline;
    geo_.activation_bytes =
        static_cast<double>(sent.count) * static_cast<double>(given_.global / geo_.replicas);
    const GeoPlan plan = geo_assignment(geo_, problem_.run.seed);
    std::vector<Candidate> all;
    for (int micro = 1; micro <= 8; micro *= 2) {
      if (given_.global % (int64_t{geo_.replicas} * micro) != 0) continue;
      for (const char* schedule : {"gpipe", "1f1b"})
        all.push_back({.pipeline = pipeline,
                       .data = geo_.replicas,
                       .micro = micro,
                       .zero = geo_.replicas > 1,
                       .schedule = schedule_named(schedule),
                       .split = split_of(problem_, Split::balanced),
                       .placement = placement_of(plan)});
      if (pipeline == 1) all.pop_back();
    }
    for (Estimated& one : estimated(problem_, all)) {
      one.estimate += seconds(plan.seconds);
      found_.push_back(std::move(one));
    }
  }

  const Problem& problem_;
  Given given_;
  Chain chain_;
  GeoProblem geo_;
  std::vector<Estimated> found_;
};

Proposal propose(const Problem& problem) { return Job(problem).propose(); }

}  // namespace

const Planner planner::dt_fm{"dt-fm", "devices placed by latency and bandwidth, genetic search",
                             propose};

}  // namespace pipewright::search
