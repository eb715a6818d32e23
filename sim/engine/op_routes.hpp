// The routes of a program's ops over the links of its topology, before it is known which links are
// alike.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/price.hpp"
#include "network/footprint.hpp"
#include "program/program.hpp"

namespace pipewright {

/// Shares of links by instance, that is, by what a route stands for, itself included; each may have
/// other links.
using SharesByInstance = std::vector<std::vector<LinkShare>>;

struct OpRoute {
  double bytes = 0, bandwidth = 0;
  std::shared_ptr<const SharesByInstance> shares;
  LaneId lane = none;  ///< that keeps its ops from overlapping
  int64_t ops = 0;
  bool computes = false;  ///< on the processors of a device
  uint32_t channel = none;
};

struct OpRoutes {
  std::vector<OpRoute> routes;
  std::vector<uint32_t> route_of;  ///< by op
  uint32_t channels = 0;
  int64_t ops = 0;  ///< of the program, with those that others stand for
};

/// The devices of a message (two) or collective, and of all those that it stands for. Empty where
/// those are not of the same form.
using Mirror =
    std::function<std::vector<std::vector<int32_t>>(const std::vector<int32_t>& devices)>;

/// Returns the devices of an op: a message's sender and receiver, a collective's members, a copy's
/// device.
std::vector<int32_t> devices_of(const Program& program, const Op& op);

/// Finds the routes of all ops that move bytes. Empty where the mirror is, or shows routes of
/// unequal bandwidth.
std::optional<OpRoutes> find_op_routes(const Program& program, const Topology& topology,
                                       const Prices& prices, const Mirror& mirror);

/// Returns what all ops together put on each link.
std::vector<double> bytes_by_link(const OpRoutes& op_routes, const Topology& topology);

}  // namespace pipewright
