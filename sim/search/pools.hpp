// The devices that a plan may use of a cluster whose devices differ.
#pragma once

#include "engine/price_source.hpp"
#include "search/problem.hpp"

namespace pipewright::search {

/// Returns the pools to plan on: all devices as they come (an empty pool) and, where they differ,
/// the kinds alone and one after the other, in every order. Of more than three kinds these are each
/// alone, and the quickest together. So the order of groups makes no difference to a plan, and a
/// device that would hold others up is left out.
std::vector<std::vector<int32_t>> pools(const Problem& problem);

/// Returns the number in the cluster of the k-th device that a plan may use.
int32_t number_in_cluster(const Problem& problem, int k);

/// Returns prices for planners that count the devices of the pool from 0.
std::shared_ptr<const PriceSource> on_pool(std::shared_ptr<const PriceSource> prices,
                                           const std::vector<int32_t>& pool);

}  // namespace pipewright::search
