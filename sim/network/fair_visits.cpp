#include "network/fair_visits.hpp"

#include <algorithm>

namespace pipewright::network {
namespace {

// Ranking costs about as much as this many visits of each ranked layer save.
constexpr size_t visits_between_ranks = 16;

}  // namespace

/// A layer that holds flows follows every change, another only what overloads it. One that is
/// queued knows already, unless things get out of hand.
void FairVisits::watch(uint32_t layer) {
  const Layer& l = layers_[layer];
  gauges_[layer].alarm = l.queued ? upper(-danger_) : l.load > 0 ? INT64_MAX : 0;
}

void FairVisits::alert(uint32_t layer) {
  if (!layers_[layer].queued) return enqueue(layer);
  enqueue_first(layer);
  overloaded_ = true;
}

void FairVisits::enqueue(uint32_t layer) {
  layers_[layer].queued = true;
  watch(layer);
  if (layer < rank_.size() && rank_[layer] != none)
    waiting_.insert(rank_[layer]);
  else
    queue_.push(visit_of(layer));
}

/// Before all others of its class: by its estimate only once that class is at hand.
void FairVisits::enqueue_first(uint32_t layer) {
  layers_[layer].queued = true;
  watch(layer);
  queue_.push({-1, layers_[layer].priority, layer});
}

/// The level that the layer would get if nothing else changed. Only the order depends on it.
double FairVisits::estimate(uint32_t layer) const {
  const Layer& l = layers_[layer];
  const double free = to_double(gauges_[layer].free);
  if (l.load > 0) return to_double(l.level) + free / static_cast<double>(l.load);
  const uint64_t pending = groups_[layer].pending;
  return pending > 0 ? free / static_cast<double>(pending) : 0;
}

uint32_t FairVisits::take_visit() {
  for (;;) {
    const uint32_t ranked = first_ranked();
    if (queue_.empty()) return take_ranked(ranked);
    Visit next = queue_.top();
    if (ranked != none && next > ranked_visit(ranked)) return take_ranked(ranked);
    queue_.pop();
    if (!layers_[next.layer].queued) continue;
    const double before = next.level;
    next.level = estimate(next.layer);
    if (next.level > before && !queue_.empty() && next > queue_.top())
      queue_.push(next);
    else
      return next.layer;
  }
}

/// The waiting layer of lowest rank; `none` where none waits.
uint32_t FairVisits::first_ranked() {
  for (;;) {
    const uint32_t rank = waiting_.first();
    if (rank == RankedSet::nothing) return none;
    if (layers_[by_rank_[rank]].queued) return by_rank_[rank];
    waiting_.erase(rank);  // what alert() brought forward
  }
}

/// Takes what first_ranked() has found. Where that is nothing, all levels are up to date.
uint32_t FairVisits::take_ranked(uint32_t layer) {
  ++visits_;
  if (layer == none) {
    if (visits_ > visits_between_ranks * by_rank_.size()) rank_anew();
  } else {
    waiting_.erase(rank_[layer]);
  }
  return layer;
}

/// Nothing waits, and no layer has a rank.
void FairVisits::forget_visits() {
  queue_ = {};
  rank_.clear();
  by_rank_.clear();
  waiting_ = RankedSet();
  for (Layer& layer : layers_) layer.queued = false;
}

void FairVisits::rank_anew() {
  by_rank_.clear();
  std::vector<Visit> order;
  for (uint32_t layer = 0; layer < layers_.size(); ++layer)
    if (layers_[layer].load > 0)
      order.push_back({to_double(layers_[layer].level), layers_[layer].priority, layer});
  std::sort(order.begin(), order.end(), [](const Visit& a, const Visit& b) { return b > a; });
  rank_.assign(layers_.size(), none);
  for (const Visit& visit : order) {
    rank_[visit.layer] = static_cast<uint32_t>(by_rank_.size());
    by_rank_.push_back(visit.layer);
  }
  waiting_ = RankedSet(static_cast<uint32_t>(by_rank_.size()));
  visits_ = 0;
}

}  // namespace pipewright::network
