// The ways of flows through a topology.
#include <map>

#include "network/flow_traffic.hpp"
#include "traffic/traffic.hpp"

namespace pipewright {

FlowPaths paths_of(const std::vector<GivenFlow>& flows, const Topology& topology,
                   SpreadRoutes& routes) {
  std::map<std::pair<int, int>, std::shared_ptr<const std::vector<FlowPath>>> known;
  FlowPaths all;
  for (size_t k = 0; k < flows.size(); ++k) {
    const std::pair<int, int> pair{flows[k].from, flows[k].to};
    if (const auto found = known.find(pair); found != known.end() && !routes.draws()) {
      all.push_back(found->second);
      continue;
    }
    auto paths = std::make_shared<std::vector<FlowPath>>();
    try {
      for (Route& route : routes.of(flows[k].from, flows[k].to, k)) {
        std::vector<uint32_t> links = shared_links(topology, route);
        paths->push_back({std::move(route), std::move(links)});
      }
    } catch (const Failure& no_route) {
      throw InputError(flows[k].mark.where(), no_route.what());
    }
    all.push_back(paths);
    known[pair] = paths;
  }
  return all;
}

}  // namespace pipewright
