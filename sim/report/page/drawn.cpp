#include "report/page/drawn.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "report/page/columns.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::ordered_json;

std::string member(const char* key, const std::vector<int32_t>& values) {
  return std::string(",\"") + key + "\":" + column_json(values);
}

/// An object without its last brace.
std::string opened(const Json& object) {
  std::string text = dump_json(object);
  text.pop_back();
  return text;
}

constexpr double shares_of_a_pass = 1 << 30;

std::string passes_json(const PassKernels& kernels) {
  std::vector<int32_t> counts, layer, name, purpose, share;
  for (const std::vector<PassKernel>& list : kernels.of_type) {
    counts.push_back(static_cast<int32_t>(list.size()));
    for (const PassKernel& kernel : list) {
      layer.push_back(kernel.layer);
      name.push_back(kernel.name);
      purpose.push_back(static_cast<int32_t>(kernel.purpose));
      share.push_back(static_cast<int32_t>(std::lround(kernel.share * shares_of_a_pass)));
    }
  }
  if (share.empty()) return "";
  return ",\"passes\":" + opened({{"layers", kernels.layers}, {"names", kernels.names}}) +
         member("counts", counts) + member("layer", layer) + member("name", name) +
         member("purpose", purpose) + member("share", share) + '}';
}

std::string cluster_json(const ClusterLayout& cluster) {
  if (cluster.nodes.empty()) return "";
  Json switches = Json::array();
  for (const FabricSwitch& one : cluster.switches)
    switches.push_back({{"name", one.name},
                        {"pod", one.pod},
                        {"rail", one.rail},
                        {"bytes", one.bytes},
                        {"busy_fraction", one.busy_fraction}});
  return ",\"cluster\":" + opened({{"switches", switches}}) + member("nodes", cluster.nodes) +
         member("rails", cluster.rails) + member("pods", cluster.pods) + '}';
}

}  // namespace

std::string drawn_json(const Drawn& drawn) {
  return passes_json(drawn.kernels) + cluster_json(drawn.cluster);
}

}  // namespace pipewright
