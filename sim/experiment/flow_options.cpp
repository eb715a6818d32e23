#include "experiment/flow_options.hpp"

#include <fmt/format.h>

#include "config/catalogue.hpp"
#include "experiment/options.hpp"

namespace pipewright {

namespace {

using How = Spreading::How;

/// `draws`: something else than routes is drawn, by `drawing`.
void read_draws(const config::Fields& fields, bool draws, std::string_view drawing,
                FlowOptions& options) {
  const bool hashes = options.spreading.how == How::hash;
  if (const config::Value* pairs = fields.find("queue_pairs"); pairs && !hashes)
    pairs->fail("'queue_pairs' goes with 'routing: ecmp'");
  if (const config::Value* seeds = fields.find("seeds"); seeds && !draws && !hashes)
    seeds->fail(fmt::format("'seeds' goes with 'routing: ecmp'{}", drawing));
  options.spreading.queue_pairs = static_cast<int>(fields.integer("queue_pairs", 1, 1, 1024));
  options.seeds = static_cast<int>(fields.integer("seeds", 20, 1, 10000));
}

}  // namespace

FlowOptions read_flow_options(const config::Value& value) {
  FlowOptions options;
  if (value.is_null()) return options;
  const config::Fields fields(value, "a flow network", keys::a_flow_network);
  constexpr How hows[] = {How::first, How::hash, How::all};
  if (const config::Value* routing = fields.find("routing"))
    options.spreading.how = hows[config::as_choice(*routing, choices::network_flow_routing)];
  read_draws(fields, false, "", options);
  if (const config::Value* tolerance = fields.find("tolerance"))
    options.tolerance = config::as_fraction(*tolerance, 0, 0.1);
  return options;
}

FlowOptions read_packet_routes(const config::Value& value) {
  FlowOptions options;
  if (value.is_null()) return options;
  const config::Fields fields(value, "a packet network", keys::a_packet_network);
  constexpr How hows[] = {How::first, How::hash};
  if (const config::Value* routing = fields.find("routing"))
    options.spreading.how = hows[config::as_choice(*routing, choices::network_packet_routing)];
  read_draws(fields, fields.boolean("spray", false) || fields.find("small"),
             ", 'spray: true' or 'small'", options);
  return options;
}

config::Value with_separate_spines(const config::Value& given, const config::Catalogue& catalogue) {
  config::Value cluster = catalogue.resolve("clusters", given);
  if (!cluster.find("fabric") && cluster.find("node") && cluster.find("nodes")) {
    const config::Value node = catalogue.resolve("nodes", *cluster.find("node"));
    if (const config::Value* usual = node.find("fabric")) cluster.set("fabric", *usual);
  }
  config::Value* fabric = cluster.find("fabric");
  const config::Value* kind = fabric && fabric->is_map() ? fabric->find("kind") : nullptr;
  if (kind && kind->text == "fat-tree" && !fabric->find("spines"))
    fabric->set("spines", config::scalar("separate"));
  return cluster;
}

}  // namespace pipewright
