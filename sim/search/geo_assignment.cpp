// Yuan et al., NeurIPS 2022 (arXiv 2206.01288), sections 3.2 to 3.4. Groups C_1..C_s of r devices:
//   data     max over groups, d of  sum over d' in d's group of 2 (latency + gradients / (r bw))
//   edge     between two groups: the least largest (latency + activations / bw) of all ways to pair
//            their devices (a bottleneck matching)
//   pipeline the shortest open path through all groups over edges (an open travelling salesman)
//   cost     data + 2 pipeline
// A link's worse direction counts. Search: a population of random groupings; a child takes some
// groups' devices from one parent, the rest in the order of the other; devices are swapped between
// groups as long as that helps; it replaces the worst where it is better.
// What a swap leaves as it was is not found again: a path is looked for only where an edge is
// another and the least tree over all of them is short enough.
#include "search/geo_assignment.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "search/open_path.hpp"
#include "search/pairing.hpp"

namespace pipewright::search {
namespace {

using Group = std::vector<int>;

/// What messages between devices cost, in whole units so small that no sum of them overflows:
/// equal sums are equal then, in whatever order they were made.
class Costs {
 public:
  explicit Costs(const GeoProblem& problem);

  /// Returns what two devices of a stage take to exchange their part of the gradients.
  int64_t exchange(int a, int b) const { return exchange_[at(a, b)]; }

  /// Returns the least largest message of all ways to pair two groups, the sooner the nearer
  /// `guess` is.
  int64_t edge(const Group& from, const Group& to, int64_t guess) {
    grade(from, to);
    return messages_[pairing_.bottleneck(grades_, from.size(), grade_of(guess))];
  }

  /// Returns the partner of each device of `from`, as its place in `to`, with such a message.
  std::vector<int> partners(const Group& from, const Group& to) {
    grade(from, to);
    return pairing_.partners(grades_, from.size());
  }

  double in_seconds(int64_t units) const { return static_cast<double>(units) * unit_; }

 private:
  size_t at(int a, int b) const { return static_cast<size_t>(a) * devices_ + b; }
  std::vector<double> both_ways(const GeoProblem& problem, double bytes, double factor) const;
  std::vector<int64_t> in_units(const std::vector<double>& all) const;
  uint32_t grade_of(int64_t message) const {
    return static_cast<uint32_t>(std::ranges::lower_bound(messages_, message) - messages_.begin());
  }
  void grade(const Group& from, const Group& to);

  size_t devices_;
  double unit_ = 1;                // seconds
  std::vector<int64_t> exchange_;  // by two devices
  std::vector<int64_t> messages_;  // of activations, those that differ, ascending
  std::vector<uint32_t> message_;  // by two devices, its place among them
  std::vector<uint32_t> grades_;   // of the devices of two groups, row by row
  Pairing pairing_;
};

Costs::Costs(const GeoProblem& problem) : devices_(static_cast<size_t>(problem.devices())) {
  const std::vector<double> exchange =
      both_ways(problem, problem.gradient_bytes / problem.replicas, 2);
  const std::vector<double> sent = both_ways(problem, problem.activation_bytes, 1);
  const double largest = std::max(std::ranges::max(exchange), std::ranges::max(sent));
  // A sum is of two messages at most for each device.
  if (largest > 0)
    unit_ =
        std::ldexp(largest, std::bit_width(devices_) + 2 - std::numeric_limits<int64_t>::digits);
  exchange_ = in_units(exchange);
  const std::vector<int64_t> all = in_units(sent);
  messages_ = all;
  std::ranges::sort(messages_);
  messages_.erase(std::unique(messages_.begin(), messages_.end()), messages_.end());
  for (const int64_t one : all) message_.push_back(grade_of(one));
}

/// Returns `factor` messages by two devices, the worse direction; none from a device to itself.
std::vector<double> Costs::both_ways(const GeoProblem& problem, double bytes, double factor) const {
  const auto n = static_cast<int>(devices_);
  std::vector<double> all(devices_ * devices_);
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      for (const size_t way : {at(a, b), at(b, a)})
        if (a != b)
          all[at(a, b)] = std::max(all[at(a, b)], factor * (problem.latency_s[way] +
                                                            bytes * problem.seconds_per_byte[way]));
  return all;
}

std::vector<int64_t> Costs::in_units(const std::vector<double>& all) const {
  std::vector<int64_t> units;
  units.reserve(all.size());
  for (const double one : all) units.push_back(std::llround(one / unit_));
  return units;
}

void Costs::grade(const Group& from, const Group& to) {
  grades_.clear();
  for (const int a : from)
    for (const int b : to) grades_.push_back(message_[at(a, b)]);
}

/// Groups with what they cost, kept as devices are swapped.
class Grouping {
 public:
  Grouping(Costs& costs, std::vector<Group> groups);

  int64_t cost() const { return cost_; }
  const std::vector<Group>& groups() const { return groups_; }
  const std::vector<int>& order() const { return path_.order; }

  /// Swaps two devices of two groups. Tells whether that helps; else all is as it was.
  bool try_swap(size_t a, size_t i, size_t b, size_t j);

 private:
  int64_t& edge(size_t a, size_t b) { return edge_[a * groups_.size() + b]; }
  int stages() const { return static_cast<int>(groups_.size()); }
  void swap(size_t a, size_t i, size_t b, size_t j);
  void replace(size_t group, size_t place, int device);
  bool price_edges(size_t a, size_t b);
  void restore_edges(size_t a, size_t b);
  int64_t exchange() const;
  bool settle(bool edges_changed);

  Costs* costs_;
  std::vector<Group> groups_;
  std::vector<int64_t> exchange_;  // by device, with all others of its group
  std::vector<int64_t> edge_, edges_before_;
  OpenPath path_;
  int64_t cost_ = std::numeric_limits<int64_t>::max();
};

Grouping::Grouping(Costs& costs, std::vector<Group> groups)
    : costs_(&costs), groups_(std::move(groups)), edge_(groups_.size() * groups_.size()) {
  exchange_.resize(groups_.size() * groups_.front().size());
  for (const Group& group : groups_)
    for (const int a : group)
      for (const int b : group)
        if (a != b) exchange_[a] += costs_->exchange(a, b);
  for (size_t a = 0; a < groups_.size(); ++a)
    for (size_t b = 0; b < a; ++b)
      edge(a, b) = edge(b, a) = costs_->edge(groups_[a], groups_[b], 0);
  settle(true);
}

bool Grouping::try_swap(size_t a, size_t i, size_t b, size_t j) {
  swap(a, i, b, j);
  if (settle(price_edges(a, b))) return true;
  restore_edges(a, b);
  swap(a, i, b, j);
  return false;
}

void Grouping::swap(size_t a, size_t i, size_t b, size_t j) {
  const int from_a = groups_[a][i], from_b = groups_[b][j];
  replace(a, i, from_b);
  replace(b, j, from_a);
}

void Grouping::replace(size_t group, size_t place, int device) {
  const int before = groups_[group][place];
  groups_[group][place] = device;
  exchange_[device] = 0;
  for (const int other : groups_[group]) {
    if (other == device) continue;
    const int64_t one = costs_->exchange(other, device);
    exchange_[device] += one;
    exchange_[other] += one - costs_->exchange(other, before);
  }
}

/// Prices the edges of two groups, and keeps what they were. Tells whether any is another now.
bool Grouping::price_edges(size_t a, size_t b) {
  edges_before_.clear();
  for (const size_t group : {a, b})
    for (size_t other = 0; other < groups_.size(); ++other)
      edges_before_.push_back(edge(group, other));
  bool changed = false;
  for (const size_t group : {a, b}) {
    for (size_t other = 0; other < groups_.size(); ++other) {
      if (other == group || (group == b && other == a)) continue;
      const int64_t now = costs_->edge(groups_[group], groups_[other], edge(group, other));
      changed |= now != edge(group, other);
      edge(group, other) = edge(other, group) = now;
    }
  }
  return changed;
}

void Grouping::restore_edges(size_t a, size_t b) {
  auto before = edges_before_.begin();
  for (const size_t group : {a, b})
    for (size_t other = 0; other < groups_.size(); ++other)
      edge(group, other) = edge(other, group) = *before++;
}

/// Returns what the group takes that exchanges gradients longest.
int64_t Grouping::exchange() const { return std::ranges::max(exchange_); }

/// Takes over what the groups cost now if that is less. No path is shorter than the least tree.
bool Grouping::settle(bool edges_changed) {
  const int64_t exchanged = exchange();
  if (!edges_changed) {
    const int64_t cost = exchanged + 2 * path_.length;
    if (cost >= cost_) return false;
    cost_ = cost;
    return true;
  }
  if (exchanged + 2 * least_tree(edge_, stages()) >= cost_) return false;
  OpenPath path = shortest_path(edge_, stages());
  const int64_t cost = exchanged + 2 * path.length;
  if (cost >= cost_) return false;
  path_ = std::move(path);
  cost_ = cost;
  return true;
}

GeoPlan plan_of(Costs& costs, const Grouping& grouping) {
  GeoPlan plan{costs.in_seconds(grouping.cost()), {}};
  for (const int g : grouping.order()) {
    const Group& group = grouping.groups()[static_cast<size_t>(g)];
    if (plan.stages.empty()) {
      plan.stages.push_back(group);
      continue;
    }
    Group aligned;
    for (const int place : costs.partners(plan.stages.back(), group))
      aligned.push_back(group[static_cast<size_t>(place)]);
    plan.stages.push_back(std::move(aligned));
  }
  return plan;
}

class Evolution {
 public:
  Evolution(const GeoProblem& problem, uint64_t seed)
      : p_(problem), costs_(problem), random_(seed) {}

  GeoPlan run() {
    constexpr int individuals = 16;
    constexpr int children = 48;
    std::vector<int> order(static_cast<size_t>(p_.devices()));
    std::iota(order.begin(), order.end(), 0);
    for (int i = 0; i < individuals; ++i) {
      people_.emplace_back(costs_, cut(order));  // the first: as devices are numbered
      improve(people_.back());
      std::ranges::shuffle(order, random_);
    }
    for (int i = 0; i < children && p_.stages > 1 && p_.replicas > 1; ++i) {
      Grouping child = born(people_[any(people_.size())], people_[any(people_.size())]);
      improve(child);
      const auto worst = std::ranges::max_element(people_, {}, &Grouping::cost);
      if (child.cost() < worst->cost()) *worst = std::move(child);
    }
    return plan_of(costs_, *std::ranges::min_element(people_, {}, &Grouping::cost));
  }

 private:
  size_t any(size_t below) { return static_cast<size_t>(random_() % below); }

  std::vector<Group> cut(const std::vector<int>& order) const {
    std::vector<Group> groups;
    for (int g = 0; g < p_.stages; ++g)
      groups.emplace_back(order.begin() + g * p_.replicas, order.begin() + (g + 1) * p_.replicas);
    return groups;
  }

  /// Half of the first parent's groups stay together; the other devices as the second has them.
  Grouping born(const Grouping& first, const Grouping& second) {
    std::vector<int> order;
    std::vector<bool> taken(static_cast<size_t>(p_.devices()));
    for (const Group& group : first.groups()) {
      if (random_() % 2 == 0) continue;
      for (const int device : group) order.push_back(device), taken[device] = true;
    }
    for (const Group& group : second.groups())
      for (const int device : group)
        if (!taken[device]) order.push_back(device);
    return {costs_, cut(order)};
  }

  /// Swaps devices of two groups, all pairs of a small problem, a random share of a large one's,
  /// until a round brings nothing.
  void improve(Grouping& grouping) {
    const size_t stages = grouping.groups().size(), replicas = grouping.groups().front().size();
    const size_t pairs = stages * (stages - 1) / 2 * replicas * replicas;
    constexpr size_t most_tries = 200;
    for (bool better = true; better;) {
      better = false;
      for (size_t n = 0; n < std::min(pairs, most_tries); ++n) {
        const auto [a, b] = pair_of(pairs <= most_tries ? n % (pairs / replicas / replicas)
                                                        : any(pairs / replicas / replicas));
        const size_t within =
            pairs <= most_tries ? n / (pairs / replicas / replicas) : any(replicas * replicas);
        better |= grouping.try_swap(a, within / replicas, b, within % replicas);
      }
      if (pairs > most_tries) break;
    }
  }

  /// Number n of all pairs a < b.
  static std::pair<size_t, size_t> pair_of(size_t n) {
    size_t b = 1;
    while (n >= b) n -= b, ++b;
    return {n, b};
  }

  const GeoProblem& p_;
  Costs costs_;
  std::mt19937_64 random_;
  std::vector<Grouping> people_;
};

}  // namespace

GeoPlan arranged(const GeoProblem& problem, const std::vector<std::vector<int>>& groups) {
  Costs costs(problem);
  return plan_of(costs, Grouping(costs, groups));
}

GeoPlan geo_assignment(const GeoProblem& problem, uint64_t seed) {
  return Evolution(problem, seed).run();
}

}  // namespace pipewright::search
