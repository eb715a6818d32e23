// A kind of link, as the catalogue or the user describes it.
#pragma once

#include <limits>
#include <string>

#include "base/units.hpp"

namespace pipewright {

namespace config {
class Catalogue;
struct Value;
}  // namespace config

enum class LinkKind : uint8_t {
  nvlink,
  xgmi,
  pcie,
  infiniband,
  infiniband_sharp,  ///< whose switches reduce
  roce,
  ethernet,
  efa_1,
  efa,
  efa_3,
  slingshot,
  tcpx,
  tcpxo,
  other
};
inline constexpr size_t link_kind_count = 14;
std::string_view name(LinkKind kind);

enum class Sharing : uint8_t {
  each_direction,  ///< full duplex
  shared,          ///< both directions share the bandwidth
};

struct LinkType {
  std::string name;
  std::string description;
  LinkKind kind = LinkKind::other;
  Bandwidth bandwidth{std::numeric_limits<double>::infinity()};  ///< each direction, all lanes
  Time latency;  ///< per hop; of nvlink and xgmi from device to device
  Sharing sharing = Sharing::each_direction;
  int lanes = 1;          ///< physical links that `bandwidth` is the sum of
  int switch_ports = 64;  ///< of the switches it is usually joined by
  std::string source;
};

/// Reads a link: a catalogue name, the path of a YAML file, or a map.
LinkType read_link(const config::Value& value, const config::Catalogue& catalogue);

}  // namespace pipewright
