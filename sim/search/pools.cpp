#include "search/pools.hpp"

#include <algorithm>
#include <numeric>

#include "topology/cluster/cluster.hpp"

namespace pipewright::search {
namespace {

using Pool = std::vector<int32_t>;

constexpr size_t most_kinds_in_every_order = 3;

/// The devices of each kind, in order.
std::vector<Pool> by_kind(const Cluster& cluster) {
  std::vector<Pool> kinds(cluster.device_types.size());
  for (int32_t device = 0; device < cluster.devices(); ++device)
    kinds[static_cast<size_t>(cluster.type_of[static_cast<size_t>(device)])].push_back(device);
  return kinds;
}

double quickest_peak(const Device& device) {
  double most = 0;
  for (const std::optional<FlopRate>& peak : device.peak)
    if (peak) most = std::max(most, peak->flops_per_s);
  return most;
}

Pool joined(const std::vector<Pool>& kinds, const std::vector<size_t>& order, size_t count) {
  Pool pool;
  for (size_t k = 0; k < count; ++k)
    pool.insert(pool.end(), kinds[order[k]].begin(), kinds[order[k]].end());
  return pool;
}

std::vector<Pool> in_every_order(const std::vector<Pool>& kinds) {
  std::vector<size_t> order(kinds.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<Pool> pools;
  do {
    for (size_t count = 1; count <= order.size(); ++count)
      pools.push_back(joined(kinds, order, count));
  } while (std::ranges::next_permutation(order).found);
  return pools;
}

std::vector<Pool> by_speed(const Cluster& cluster, const std::vector<Pool>& kinds) {
  std::vector<size_t> order(kinds.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    return quickest_peak(cluster.device_types[a]) > quickest_peak(cluster.device_types[b]);
  });
  std::vector<Pool> pools = kinds;
  for (size_t count = 2; count <= order.size(); ++count)
    pools.push_back(joined(kinds, order, count));
  return pools;
}

bool in_order(const Pool& pool) {
  for (size_t k = 0; k < pool.size(); ++k)
    if (pool[k] != static_cast<int32_t>(k)) return false;
  return true;
}

class PooledPrices final : public PriceSource {
 public:
  PooledPrices(std::shared_ptr<const PriceSource> prices, Pool pool)
      : prices_(std::move(prices)), pool_(std::move(pool)) {}

  Time compute(const Work& work, int32_t device) const override {
    return prices_->compute(work, number(device));
  }
  Time transfer(int32_t from, int32_t to, Bytes bytes) const override {
    return prices_->transfer(number(from), number(to), bytes);
  }
  Time collective(CollectiveKind kind, std::span<const int32_t> devices,
                  Bytes bytes) const override {
    Pool numbers;
    for (const int32_t device : devices) numbers.push_back(number(device));
    return prices_->collective(kind, numbers, bytes);
  }
  Time host_copy(int32_t device, Bytes bytes) const override {
    return prices_->host_copy(number(device), bytes);
  }

 private:
  int32_t number(int32_t device) const { return pool_[static_cast<size_t>(device)]; }

  std::shared_ptr<const PriceSource> prices_;
  Pool pool_;
};

}  // namespace

std::vector<Pool> pools(const Problem& problem) {
  const Cluster cluster = read_cluster(*problem.experiment.find("cluster"), problem.catalogue);
  if (cluster.device_types.size() < 2 || pinned(problem, "placement")) return {problem.pool};
  const std::vector<Pool> kinds = by_kind(cluster);
  std::vector<Pool> all{{}};
  for (Pool& pool : kinds.size() <= most_kinds_in_every_order ? in_every_order(kinds)
                                                              : by_speed(cluster, kinds)) {
    const bool whole = pool.size() == static_cast<size_t>(cluster.devices());
    if (whole && in_order(pool)) continue;
    if (std::ranges::find(all, pool) == all.end()) all.push_back(std::move(pool));
  }
  return all;
}

int32_t number_in_cluster(const Problem& problem, int k) {
  return problem.pool.empty() ? k : problem.pool[static_cast<size_t>(k)];
}

std::shared_ptr<const PriceSource> on_pool(std::shared_ptr<const PriceSource> prices,
                                           const Pool& pool) {
  if (pool.empty()) return prices;
  return std::make_shared<const PooledPrices>(std::move(prices), pool);
}

}  // namespace pipewright::search
