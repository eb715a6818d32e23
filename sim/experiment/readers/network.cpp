// network: a name, or a map with options.
#include "experiment/readers.hpp"

namespace pipewright {

using config::Fields;
using config::Value;

NetworkOptions read_network(const Value& value) {
  if (!value.is_map())
    return {.kind = static_cast<NetworkKind>(config::as_choice(value, choices::network))};
  const Fields fields(value, "a network", keys::a_network);
  const Value* flow = fields.find("flow");
  if (flow && fields.find("packet")) value.fail("a network: either 'packet' or 'flow'");
  if (flow) return {.kind = NetworkKind::flow, .flow = read_flow_options(*flow)};
  const Value& packet = fields.at("packet");
  return {.kind = NetworkKind::packet,
          .packet = read_packet_options(packet),
          .flow = read_packet_routes(packet)};
}

}  // namespace pipewright
