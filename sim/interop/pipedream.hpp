// PipeDream's profiles, graph.txt of msr-fiddle/pipedream: one node a line,
//   node4 -- Embedding(32320, 1024) -- forward_compute_time=0.073, backward_compute_time=6.949,
//   activation_size=6291456.0, parameter_size=132382720.000
// (times in ms, sizes in bytes, several activations as [1.0; 2.0]), then one edge a line after a
// tab, "node1 -- node4".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace pipewright {

struct PipeDreamLayer {
  std::string name;
  double forward_ms = 0, backward_ms = 0;
  double activation_bytes = 0;  ///< its output
  double boundary_bytes = 0;    ///< what later layers need of it and of those before it
  double parameter_bytes = 0;
};

/// The nodes in an order in which they can run; ties in the order of the file. Nodes that take no
/// time and hold nothing are left out. Throws InputError with its line for what is no such file and
/// for a cycle.
std::vector<PipeDreamLayer> read_pipedream(std::string_view text, const std::string& file);

}  // namespace pipewright
