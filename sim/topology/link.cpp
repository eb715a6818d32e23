#include "topology/link.hpp"

#include "config/catalogue.hpp"

namespace pipewright {
namespace {

constexpr std::string_view kind_names[link_kind_count] = {
    "nvlink",    "xgmi",     "pcie",  "infiniband", "infiniband-sharp",
    "roce",      "ethernet", "efa-1", "efa",        "efa-3",
    "slingshot", "tcpx",     "tcpxo", "other"};

}  // namespace

std::string_view name(LinkKind kind) { return kind_names[static_cast<size_t>(kind)]; }

LinkType read_link(const config::Value& value, const config::Catalogue& catalogue) {
  const config::Value entry = catalogue.resolve("links", value);
  const config::Fields fields(entry, "a link",
                              {"latency", "bandwidth", "kind", "lanes", "sharing", "switch_ports",
                               "name", "description", "source", "verified", "notes"});
  LinkType link;
  link.name = fields.text("name", config::name_of(value).value_or("link"));
  link.description = fields.text("description", "");
  link.source = fields.text("source", "");
  if (const config::Value* kind = fields.find("kind")) {
    link.kind = static_cast<LinkKind>(config::as_choice(*kind, kind_names));
  }
  if (const config::Value* rate = fields.find("bandwidth"))
    link.bandwidth = config::as_bandwidth(*rate);
  link.latency = fields.time("latency", {});
  if (const config::Value* sharing = fields.find("sharing")) {
    link.sharing = static_cast<Sharing>(config::as_choice(*sharing, {"each-direction", "shared"}));
  }
  link.lanes = static_cast<int>(fields.integer("lanes", 1, 1, 1024));
  link.switch_ports = static_cast<int>(fields.integer("switch_ports", 64, 2, 65536));
  return link;
}

}  // namespace pipewright
