// launches: a word, or the CUDA graphs of modules.
#include <algorithm>
#include <string_view>

#include "experiment/readers.hpp"

namespace pipewright {
namespace {

constexpr size_t modules = 6;  // choices before `layer` and `iteration`, as GraphedModule has them

/// Reads one of the two words that stand alone.
LaunchOptions read_whole(const config::Value& list, bool is_layer) {
  if (list.items.size() > 1)
    list.fail("'layer' and 'iteration' have all of it: each stands alone in the list");
  if (!is_layer) return {.kind = Launches::passes};
  LaunchOptions options{.kind = Launches::modules};
  for (const GraphedModule module :
       {GraphedModule::attn, GraphedModule::mlp, GraphedModule::moe, GraphedModule::mamba})
    options.graphs.add(module);
  return options;
}

LaunchOptions read_graphs(const config::Value& list) {
  if (!list.is_list() || list.items.empty()) list.fail("must be a list such as [attn, moe_router]");
  LaunchOptions options{.kind = Launches::modules};
  for (const config::Value& item : list.items) {
    const size_t choice = config::as_choice(item, choices::launches_graphs);
    if (choice >= modules) return read_whole(list, choice == modules);
    options.graphs.add(static_cast<GraphedModule>(choice));
  }
  return options;
}

/// Transformer Engine captures what its list says; Megatron-Core takes the router and what goes on
/// before rows are sent for one (transformer_config.py).
void settle_capture(const config::Value& list, bool is_local, BlockGraphs& graphs) {
  const bool router = graphs.has(GraphedModule::moe_router);
  const bool preprocess = graphs.has(GraphedModule::moe_preprocess);
  if (graphs.has(GraphedModule::moe) && (router || preprocess))
    list.fail("moe has the router in it: it stands beside neither moe_router nor moe_preprocess");
  if (preprocess && !router && !is_local)
    list.fail("moe_preprocess goes with moe_router, which comes before it");
  if (!is_local || !(router || preprocess)) return;
  graphs.add(GraphedModule::moe_router);
  graphs.add(GraphedModule::moe_preprocess);
  graphs.behind_experts = true;
}

}  // namespace

LaunchOptions read_launches(const config::Value& value) {
  if (!value.is_map())
    return {.kind = static_cast<Launches>(config::as_choice(value, choices::launches))};
  const config::Fields fields(value, "launches", keys::launches);
  const config::Value& list = fields.at("graphs");
  LaunchOptions options = read_graphs(list);
  const config::Value* capture = fields.find("capture");
  const bool is_local = capture && config::as_choice(*capture, choices::launches_capture) == 1;
  settle_capture(list, is_local, options.graphs);
  return options;
}

}  // namespace pipewright
