// What a page draws of a run besides its timeline, as members of the timeline's JSON.
//
//   passes: {layers: [name], names: [kernel],
//            counts: column,               by kind, how many kernels each has
//            layer, name: column,          kernel after kernel, in the order of time; no layer is
//            -1 purpose: column,              by the places in Purpose share: column} each counts 1
//            / 2^30 of the pass
//   cluster: {nodes, rails: column,        by device
//             pods: column,                by node
//             switches: [{name, pod, rail, bytes, busy_fraction}]}
#pragma once

#include <string>

#include "result/drawn.hpp"

namespace pipewright {

/// The text is such members, each after a comma; one that has nothing to tell is left out.
std::string drawn_json(const Drawn& drawn);

}  // namespace pipewright
