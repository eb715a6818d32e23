// Counts how much each link carries.
#pragma once

#include <vector>

#include "engine/op_routes.hpp"
#include "result/run_result.hpp"

namespace pipewright {

/// Returns the bytes by link of a program that has not been run under `network: flow`, by the
/// links' data sheets. Without `mirror` ranks stand for themselves.
std::vector<double> bytes_by_link(const Program& program, const Topology& topology,
                                  const Prices& prices, const Mirror& mirror = {});
/// The links by how busy they are over the run: all that carry anything, or ten where those are too
/// many to be drawn.
std::vector<LinkUse> busiest_links(const Topology& topology, const std::vector<double>& bytes,
                                   Time makespan);

}  // namespace pipewright
