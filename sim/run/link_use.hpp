// Counts how much each link carries.
#pragma once

#include <vector>

#include "engine/op_routes.hpp"
#include "result/run_result.hpp"

namespace pipewright {

/// Returns the bytes by link of a program that has not been run under `network: flow`, by the
/// links' data sheets. `mirror` is that of `laid`; where it does not do, ranks stand for
/// themselves.
LinkBytes bytes_by_link(const Program& program, const Prices& prices, const Mirror& mirror,
                        LaidLinks& laid);
/// The same of a program whose ranks stand for themselves.
LinkBytes bytes_by_link(const Program& program, const Topology& topology, const Prices& prices,
                        const Spreading& spreading = {});
/// The links by how busy they are over the run: all that carry anything, or, where those are too
/// many to be drawn, ten and the busiest of each tier that has none among them.
std::vector<LinkUse> busiest_links(const Topology& topology, const LinkBytes& bytes, Time makespan);

}  // namespace pipewright
