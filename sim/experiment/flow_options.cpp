#include "experiment/flow_options.hpp"

#include "config/catalogue.hpp"
#include "experiment/options.hpp"

namespace pipewright {

FlowOptions read_flow_options(const config::Value& value) {
  using How = Spreading::How;
  FlowOptions options;
  if (value.is_null()) return options;
  const config::Fields fields(value, "a flow network", keys::a_flow_network);
  constexpr How hows[] = {How::first, How::hash, How::all};
  if (const config::Value* routing = fields.find("routing"))
    options.spreading.how = hows[config::as_choice(*routing, choices::network_flow_routing)];
  for (const char* key : {"queue_pairs", "seeds"}) {
    const config::Value* of_ecmp = fields.find(key);
    if (of_ecmp && options.spreading.how != How::hash)
      of_ecmp->fail(std::string("'") + key + "' goes with 'routing: ecmp'");
  }
  options.spreading.queue_pairs = static_cast<int>(fields.integer("queue_pairs", 1, 1, 1024));
  if (const config::Value* tolerance = fields.find("tolerance"))
    options.tolerance = config::as_fraction(*tolerance, 0, 0.1);
  options.seeds = static_cast<int>(fields.integer("seeds", 20, 1, 10000));
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
