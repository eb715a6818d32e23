// The ways of flows through a topology, and what they put on its links.
#include <unordered_map>

#include "network/flow_traffic.hpp"
#include "network/footprint.hpp"
#include "traffic/traffic.hpp"

namespace pipewright {

FlowPaths paths_of(const std::vector<GivenFlow>& flows, const Topology& topology,
                   SpreadRoutes& routes) {
  std::unordered_map<uint64_t, std::shared_ptr<const std::vector<FlowPath>>> known;
  FlowPaths all;
  for (size_t k = 0; k < flows.size(); ++k) {
    std::shared_ptr<const std::vector<FlowPath>> drawn;  // by this flow alone
    const uint64_t pair =
        uint64_t{static_cast<uint32_t>(flows[k].from)} << 32 | static_cast<uint32_t>(flows[k].to);
    auto& kept = routes.draws() ? drawn : known[pair];
    if (kept) {
      all.push_back(kept);
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
    kept = std::move(paths);
    all.push_back(kept);
  }
  return all;
}

LinkBytes bytes_by_link(const std::vector<GivenFlow>& flows, const FlowPaths& paths,
                        const Topology& topology) {
  std::vector<double> carried(topology.links().size());
  std::vector<bool> crossed(topology.links().size());
  for (size_t k = 0; k < flows.size(); ++k) {
    const double part =
        static_cast<double>(flows[k].bytes.count) / static_cast<double>(paths[k]->size());
    std::vector<LinkShare> shares;
    for (const FlowPath& path : *paths[k])
      for (const LinkId link : path.route.links) shares.push_back({link, part});
    for (const LinkShare& share : merged(topology, std::move(shares))) {
      carried[share.link] += share.share;
      crossed[share.link] = true;
    }
  }
  LinkClasses classes{.of = std::vector<uint32_t>(topology.links().size(), none), .links = {}};
  LinkBytes all;
  for (LinkId link = 0; link < carried.size(); ++link) {
    if (!crossed[link]) continue;
    classes.of[link] = static_cast<uint32_t>(classes.links.size());
    classes.links.push_back({link});
    all.bytes.push_back(carried[link]);
  }
  all.classes = std::make_shared<const LinkClasses>(std::move(classes));
  return all;
}

}  // namespace pipewright
