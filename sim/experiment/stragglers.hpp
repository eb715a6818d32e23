// Stragglers, which are slower than the cluster says: devices, nodes, links.
#pragma once

#include <vector>

#include "config/value.hpp"

namespace pipewright {

struct Stragglers {
  /// Compute on these devices takes `slowdown` times as long.
  struct Slow {
    int number = 0;  ///< of a device or, `whole_node`, of a node
    bool whole_node = false;
    double slowdown = 1;
    config::Mark mark;
  };
  /// All links on the route from one device to another have this part of their bandwidth left.
  struct Narrow {
    int from = 0, to = 0;
    double bandwidth = 1;
    config::Mark mark;
  };
  std::vector<Slow> slow;
  std::vector<Narrow> narrow;
};

/// Reads `[{device: 17, slowdown: 1.5}, {node: 3, slowdown: 2}, {link: "12>13", bandwidth: 50%}]`.
Stragglers read_stragglers(const config::Value& value);

}  // namespace pipewright
