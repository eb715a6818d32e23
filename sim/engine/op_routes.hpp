// The routes of a program's ops over the links of its topology, with how many bytes go there.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/laid_links.hpp"
#include "engine/link_layout.hpp"
#include "engine/price.hpp"
#include "program/program.hpp"

namespace pipewright {

struct OpRoute {
  double bytes = 0, bandwidth = 0;
  uint32_t footprint = none;  ///< in the layout; `none` where it is on no link
  LaneId lane = none;         ///< that keeps its ops from overlapping
  int64_t ops = 0;
  bool computes = false;  ///< on the processors of a device
  uint32_t channel = none;
};

struct OpRoutes {
  std::vector<OpRoute> routes;
  std::vector<uint32_t> route_of;  ///< by op
  std::shared_ptr<const LinkLayout> layout;
  uint32_t channels = 0;
};

/// Every op stands for itself.
std::vector<std::vector<int32_t>> only_itself(const std::vector<int32_t>& devices);

/// Returns the devices of an op: a message's sender and receiver, a collective's members, a copy's
/// device.
std::vector<int32_t> devices_of(const Program& program, const Op& op);

/// Finds the routes of all ops that move bytes. Empty where the mirror is, or shows routes of
/// unequal bandwidth. `laid` is of this mirror, and may know footprints of other runs.
std::optional<OpRoutes> find_op_routes(const Program& program, const Prices& prices,
                                       const Mirror& mirror, LaidLinks& laid);
/// The same for a program that shares nothing with other runs.
std::optional<OpRoutes> find_op_routes(const Program& program, const Topology& topology,
                                       const Prices& prices, const Mirror& mirror);

/// What all ops together put on each link.
struct LinkBytes {
  std::shared_ptr<const LinkClasses> classes;
  std::vector<double> bytes;  ///< by class

  double of(LinkId link) const;
};
LinkBytes bytes_by_link(const OpRoutes& op_routes);
/// The same of a program whose ops stand for themselves, without a layout, which takes longer to
/// find where there are as many footprints as ops.
LinkBytes bytes_of_each(const Program& program, const Topology& topology, const Prices& prices,
                        const Spreading& spreading = {});

}  // namespace pipewright
