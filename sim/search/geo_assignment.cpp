// Yuan et al., NeurIPS 2022 (arXiv 2206.01288), sections 3.2 to 3.4. Groups C_1..C_s of r devices:
//   data     max over groups, d of  sum over d' in d's group of 2 (latency + gradients / (r bw))
//   edge     between two groups: the least largest (latency + activations / bw) of all ways to pair
//            their devices (a bottleneck matching)
//   pipeline the shortest open path through all groups over edges (an open travelling salesman)
//   cost     data + 2 pipeline
// A link's worse direction counts. Search: a population of random groupings; a child takes some
// groups' devices from one parent, the rest in the order of the other; devices are swapped between
// groups as long as that helps; it replaces the worst where it is better.
// Orders of more than nine stages: nearest neighbour from every start, then 2-opt.
#include "search/geo_assignment.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <random>

namespace pipewright::search {
namespace {

using Group = std::vector<int>;
constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr int most_exact_stages = 9;

/// Pairs of two groups of as many, of which some are allowed: augmenting paths, by Kuhn. Members
/// are bits, so that a row is looked through 64 members at a time.
class Matching {
 public:
  explicit Matching(size_t n)
      : n_(n), words_((n + 63) / 64), allowed_(n * words_), taken_(n, -1), open_(words_) {}

  void allow(size_t i, size_t j) { allowed_[i * words_ + j / 64] |= uint64_t{1} << (j % 64); }

  /// Returns the partner of each of the first group; empty where not all can be paired.
  std::vector<int> partners() {
    for (size_t i = 0; i < n_; ++i) {
      std::ranges::fill(open_, ~uint64_t{0});
      if (!augment(i)) return {};
    }
    std::vector<int> partner(n_);
    for (size_t j = 0; j < n_; ++j) partner[static_cast<size_t>(taken_[j])] = static_cast<int>(j);
    return partner;
  }

 private:
  bool augment(size_t i) {
    for (size_t word = 0; word < words_; ++word) {
      while (const uint64_t next = allowed_[i * words_ + word] & open_[word]) {
        const auto bit = static_cast<size_t>(std::countr_zero(next));
        open_[word] &= ~(uint64_t{1} << bit);
        int& taken = taken_[64 * word + bit];
        if (taken >= 0 && !augment(static_cast<size_t>(taken))) continue;
        taken = static_cast<int>(i);
        return true;
      }
    }
    return false;
  }

  size_t n_, words_;
  std::vector<uint64_t> allowed_;  // by member of the first group, those of the second
  std::vector<int> taken_;         // by member of the second group, its partner
  std::vector<uint64_t> open_;     // of the second group, those that this search has not tried
};

class Costs {
 public:
  explicit Costs(const GeoProblem& problem) : p_(problem) {}

  double message(int a, int b, double bytes) const {
    const auto one = [&](int from, int to) {
      const size_t at = static_cast<size_t>(from) * p_.devices() + to;
      return p_.latency_s[at] + bytes * p_.seconds_per_byte[at];
    };
    return std::max(one(a, b), one(b, a));
  }

  double reduce(const Group& group) const {
    double largest = 0;
    for (const int a : group) {
      double sum = 0;
      for (const int b : group)
        if (a != b) sum += 2 * message(a, b, p_.gradient_bytes / p_.replicas);
      largest = std::max(largest, sum);
    }
    return largest;
  }

  /// Returns the least largest message of all ways to pair two groups.
  double edge(const Group& from, const Group& to) const {
    const std::vector<double> cost = messages(from, to);
    return bottleneck(cost, from.size());
  }

  /// Returns the partner of each device of `from`, as its place in `to`, with such a message.
  std::vector<int> partners(const Group& from, const Group& to) const {
    const std::vector<double> cost = messages(from, to);
    return matching(cost, from.size(), bottleneck(cost, from.size()));
  }

 private:
  /// Returns the messages between all devices of two groups, row by row.
  std::vector<double> messages(const Group& from, const Group& to) const {
    std::vector<double> cost;
    cost.reserve(from.size() * to.size());
    for (const int a : from)
      for (const int b : to) cost.push_back(message(a, b, p_.activation_bytes));
    return cost;
  }

  /// Most clusters have few different distances, so few limits are tried.
  static double bottleneck(const std::vector<double>& cost, size_t n) {
    const double least = least_for_each(cost, n);
    std::vector<double> limits;
    std::ranges::copy_if(cost, std::back_inserter(limits),
                         [&](double limit) { return limit >= least; });
    std::ranges::sort(limits);
    limits.erase(std::unique(limits.begin(), limits.end()), limits.end());
    return *std::ranges::partition_point(limits, [&](double limit) {
      return limit < limits.back() && matching(cost, n, limit).empty();
    });
  }

  /// Returns the least limit at which each device has somebody to be paired with.
  static double least_for_each(const std::vector<double>& cost, size_t n) {
    std::vector<double> of_row(n, unbounded), of_column(n, unbounded);
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j) {
        of_row[i] = std::min(of_row[i], cost[i * n + j]);
        of_column[j] = std::min(of_column[j], cost[i * n + j]);
      }
    }
    return std::max(std::ranges::max(of_row), std::ranges::max(of_column));
  }

  /// Returns the partners at `limit`; empty where not all can be paired.
  static std::vector<int> matching(const std::vector<double>& cost, size_t n, double limit) {
    Matching matching(n);
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        if (cost[i * n + j] <= limit) matching.allow(i, j);
    return matching.partners();
  }

  const GeoProblem& p_;
};

struct Path {
  double length = 0;
  std::vector<int> order;
};

/// Shortest path through all of `n` by length of (set of those passed, last).
Path exact_path(const std::vector<double>& edge, int n) {
  const size_t sets = size_t{1} << n;
  std::vector<double> least(sets * n, unbounded);
  std::vector<int> before(sets * n, -1);
  for (int i = 0; i < n; ++i) least[(size_t{1} << i) * n + i] = 0;
  for (size_t set = 1; set < sets; ++set) {
    for (int last = 0; last < n; ++last) {
      const double here = least[set * n + last];
      if (here == unbounded) continue;
      for (int next = 0; next < n; ++next) {
        if (set >> next & 1) continue;
        const size_t at = (set | size_t{1} << next) * n + next;
        const double there = here + edge[static_cast<size_t>(last) * n + next];
        if (there < least[at]) least[at] = there, before[at] = last;
      }
    }
  }
  size_t set = sets - 1;
  int last =
      static_cast<int>(std::min_element(&least[set * n], &least[set * n] + n) - &least[set * n]);
  Path path{least[set * n + last], {}};
  while (last >= 0) {
    path.order.push_back(last);
    const int previous = before[set * n + last];
    set ^= size_t{1} << last;
    last = previous;
  }
  std::ranges::reverse(path.order);
  return path;
}

double length_of(const std::vector<double>& edge, int n, const std::vector<int>& order) {
  double length = 0;
  for (size_t i = 1; i < order.size(); ++i)
    length += edge[static_cast<size_t>(order[i - 1]) * n + order[i]];
  return length;
}

std::vector<int> nearest_first(const std::vector<double>& edge, int n, int start) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order.front(), order[start]);
  for (int i = 1; i < n; ++i) {
    const auto near = std::min_element(order.begin() + i, order.end(), [&](int a, int b) {
      const size_t row = static_cast<size_t>(order[i - 1]) * n;
      return std::pair(edge[row + a], a) < std::pair(edge[row + b], b);
    });
    std::swap(order[i], *near);
  }
  return order;
}

Path improved(const std::vector<double>& edge, int n, std::vector<int> order) {
  double length = length_of(edge, n, order);
  for (bool better = true; better;) {
    better = false;
    for (int i = 0; i < n; ++i) {
      for (int j = i + 2; j <= n; ++j) {
        std::vector<int> turned = order;
        std::reverse(turned.begin() + i, turned.begin() + j);
        const double shorter = length_of(edge, n, turned);
        if (shorter < length - 1e-15) order = turned, length = shorter, better = true;
      }
    }
  }
  return {length, order};
}

Path shortest_path(const std::vector<double>& edge, int n) {
  if (n <= most_exact_stages) return exact_path(edge, n);
  Path best{unbounded, {}};
  for (int start = 0; start < n; ++start) {
    const std::vector<int> order = nearest_first(edge, n, start);
    const double length = length_of(edge, n, order);
    if (length < best.length) best = {length, order};
  }
  return improved(edge, n, best.order);
}

/// Groups with what they cost, kept as devices are swapped.
class Grouping {
 public:
  Grouping(const Costs& costs, std::vector<Group> groups)
      : costs_(&costs), groups_(std::move(groups)), reduce_(groups_.size()) {
    edge_.resize(groups_.size() * groups_.size());
    for (size_t g = 0; g < groups_.size(); ++g) price(g);
    sum();
  }

  double seconds() const { return seconds_; }
  const std::vector<Group>& groups() const { return groups_; }
  const Path& path() const { return path_; }

  void swap(size_t a, size_t i, size_t b, size_t j) {
    std::swap(groups_[a][i], groups_[b][j]);
    price(a);
    price(b);
    sum();
  }

 private:
  void price(size_t group) {
    reduce_[group] = costs_->reduce(groups_[group]);
    for (size_t other = 0; other < groups_.size(); ++other) {
      if (other == group) continue;
      edge_[group * groups_.size() + other] = edge_[other * groups_.size() + group] =
          costs_->edge(groups_[group], groups_[other]);
    }
  }

  void sum() {
    path_ = shortest_path(edge_, static_cast<int>(groups_.size()));
    seconds_ = *std::ranges::max_element(reduce_) + 2 * path_.length;
  }

  const Costs* costs_;
  std::vector<Group> groups_;
  std::vector<double> reduce_, edge_;
  Path path_;
  double seconds_ = 0;
};

GeoPlan plan_of(const Costs& costs, const Grouping& grouping) {
  GeoPlan plan{grouping.seconds(), {}};
  for (const int g : grouping.path().order) {
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
      const auto worst = std::ranges::max_element(people_, {}, &Grouping::seconds);
      if (child.seconds() < worst->seconds()) *worst = std::move(child);
    }
    return plan_of(costs_, *std::ranges::min_element(people_, {}, &Grouping::seconds));
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
        better |= try_swap(grouping, a, within / replicas, b, within % replicas);
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

  static bool try_swap(Grouping& grouping, size_t a, size_t i, size_t b, size_t j) {
    const double before = grouping.seconds();
    Grouping changed = grouping;
    changed.swap(a, i, b, j);
    if (!(changed.seconds() < before - 1e-15)) return false;
    grouping = std::move(changed);
    return true;
  }

  const GeoProblem& p_;
  Costs costs_;
  std::mt19937_64 random_;
  std::vector<Grouping> people_;
};

}  // namespace

GeoPlan arranged(const GeoProblem& problem, const std::vector<std::vector<int>>& groups) {
  const Costs costs(problem);
  return plan_of(costs, Grouping(costs, groups));
}

GeoPlan geo_assignment(const GeoProblem& problem, uint64_t seed) {
  return Evolution(problem, seed).run();
}

}  // namespace pipewright::search
