#include "engine/laid_links.hpp"

#include <algorithm>
#include <cmath>

#include "engine/lay_footprint.hpp"

namespace pipewright {
namespace {

/// Shares and links that are kept for runs to come: some 100 MB.
constexpr size_t most_kept = 1 << 22;

bool nearly(double a, double b) { return a == b || std::abs(a - b) <= 1e-9 * std::abs(b); }

LinkFootprint footprint_of(const Topology& topology, const Spreading& spreading, const Laid& laid,
                           const std::vector<int32_t>& devices) {
  switch (laid.form) {
    case Laid::Form::collective:
      return collective_footprint(topology, laid.collective, devices, spreading);
    case Laid::Form::to_host:
    case Laid::Form::from_host:
      return host_footprint(topology, devices.front(), laid.form == Laid::Form::to_host);
    case Laid::Form::message:
      break;
  }
  return message_footprint(topology, devices.front(), devices.back(), spreading);
}

size_t size_of(const MirroredFootprint* footprint) {
  size_t size = 1;
  if (footprint)
    for (const std::vector<LinkShare>& shares : footprint->shares) size += shares.size();
  return size;
}

}  // namespace

std::shared_ptr<const MirroredFootprint> lay(const Topology& topology, const Spreading& spreading,
                                             const Laid& laid, const Mirror& mirror) {
  auto all = std::make_shared<MirroredFootprint>();
  for (const std::vector<int32_t>& instance : mirror(laid.devices)) {
    LinkFootprint one = footprint_of(topology, spreading, laid, instance);
    const bool first = all->shares.empty();
    if (!first && !nearly(one.bandwidth, all->bandwidth)) return nullptr;
    if (first) {
      all->volume = one.volume;
      all->bandwidth = one.bandwidth;
    }
    all->shares.push_back(std::move(one.shares));
  }
  if (all->shares.empty()) return nullptr;
  return all;
}

// Two threads may both lay what is new; both then take what was there first.
std::shared_ptr<const MirroredFootprint> LaidLinks::find(const Laid& laid, const Mirror& mirror) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = footprints_.find(laid); found != footprints_.end()) return found->second;
  }
  auto footprint = lay(topology_, spreading_, laid, mirror);
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = footprints_.try_emplace(laid, std::move(footprint));
  if (is_new) size_ += size_of(found->second.get());
  return found->second;
}

std::shared_ptr<const LinkLayout> LaidLinks::layout_of(const Footprints& footprints) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = layouts_.find(footprints); found != layouts_.end()) return found->second;
  }
  auto layout = std::make_shared<const LinkLayout>(topology_, footprints);
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = layouts_.try_emplace(footprints, std::move(layout));
  if (is_new) size_ += found->second->size();
  return found->second;
}

size_t LaidLinks::size() const {
  const std::lock_guard lock(mutex_);
  return size_;
}

std::shared_ptr<LaidLinks> LinkMemo::of(const Key& key, const Topology& topology,
                                        const Spreading& spreading) {
  const std::lock_guard lock(mutex_);
  auto known = std::ranges::find(known_, key, &Known::key);
  if (known == known_.end())
    known = known_.insert(known_.begin(), {key, std::make_shared<LaidLinks>(topology, spreading)});
  known_.splice(known_.begin(), known_, known);
  size_t size = 0;
  for (const Known& one : known_) size += one.links->size();
  while (size > most_kept && known_.size() > 1) {
    size -= known_.back().links->size();
    known_.pop_back();
  }
  return known_.front().links;
}

}  // namespace pipewright
