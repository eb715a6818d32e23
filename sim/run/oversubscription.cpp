#include "run/oversubscription.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "run/link_busy.hpp"

namespace pipewright {
namespace {

bool is_switch(VertexKind kind) {
  return kind == VertexKind::leaf || kind == VertexKind::spine || kind == VertexKind::core ||
         kind == VertexKind::router;
}

struct SwitchLinks {
  int count = 0;
  double bytes = 0;
  double busiest_s = 0;
};

SwitchLinks switch_links_of(const Topology& topology, const LinkBytes& bytes) {
  SwitchLinks uplinks;
  for (LinkId id = 0; id < topology.links().size(); ++id) {
    const Link& link = topology.links()[id];
    if (!is_switch(topology.vertices()[link.from].kind) ||
        !is_switch(topology.vertices()[link.to].kind))
      continue;
    ++uplinks.count;
    const double carried = bytes.of(id);
    uplinks.bytes += carried;
    uplinks.busiest_s = std::max(uplinks.busiest_s, carried / link.bandwidth.bytes_per_s);
  }
  return uplinks;
}

}  // namespace

std::string why_oversubscription_is_idle(double factor, bool shared, const Topology& topology,
                                         const LinkBytes& bytes, Time makespan) {
  if (factor <= 1) return {};
  const std::string head = fmt::format("oversubscription {:g} changes nothing: ", factor);
  if (!shared) return head + "messages share no link under this network";
  const SwitchLinks uplinks = switch_links_of(topology, bytes);
  if (uplinks.count == 0) return head + "all nodes are on one switch";
  if (uplinks.bytes == 0) return head + "nothing that is sent leaves its leaf switch";
  const double busy = uplinks.busiest_s / in_seconds(makespan);
  if (busy >= hardly_busy) return {};
  return fmt::format(
      "oversubscription {:g} changes little: links between switches are busy for at most {:.2g} % "
      "of the time",
      factor, 100 * busy);
}

}  // namespace pipewright
