// Tokens on their way to experts and back by a library that has kernels of its own for them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "network/nccl/choice.hpp"
#include "workload/transformer/experts_shape.hpp"

namespace pipewright {

namespace config {
class Catalogue;
}

/// What such a library was measured to reach. Data: topologies/dispatchers.
struct ExchangeRates {
  struct Point {
    int count = 1;
    double share = 1;
  };
  bool each_copy = false;      ///< copies go one by one, else once to each node and device
  std::vector<Point> network;  ///< of a member's part of the NICs, by nodes
  std::vector<Point> links;    ///< of a member's links in its node, by ranks, its own part counted
  int processors = 0;          ///< multiprocessors that its kernels hold
};

/// Reads an entry of the kind 'dispatchers' or a map. Throws InputError.
ExchangeRates read_exchange_rates(const config::Value& value, const config::Catalogue& catalogue);
/// Returns the entry of that name.
ExchangeRates exchange_rates(std::string_view name, const config::Catalogue& catalogue);

/// Returns the share at `count`: a line over the logarithm between two points, level outside.
double share_at(std::span<const ExchangeRates::Point> points, int count);

/// The exchanges of a job.
struct Exchange {
  ExchangeRates rates;
  Experts experts;
};

/// Returns the seconds in which bytes move. `request.bytes` are as of an all_to_all that sends what
/// the library sends over the slowest links that it uses. `most` is the share of the NICs that
/// anything reaches on the fabric.
double exchange_moving_s(const Exchange& exchange, const NcclRequest& request, double most);

}  // namespace pipewright
