#include "report/json/metrics.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "program/names.hpp"
#include "result/memory_use.hpp"

namespace pipewright {

using Json = nlohmann::ordered_json;

namespace {

Json memory_parts(const MemoryUse& memory) {
  return {
      {"weights", memory.weights.count},         {"weight_versions", memory.weight_versions.count},
      {"gradients", memory.gradients.count},     {"optimizer", memory.optimizer.count},
      {"activations", memory.activations.count}, {"buffers", memory.buffers.count}};
}

Json json(const LayerTime& layer) {
  return {{"name", layer.name},
          {"stage", layer.stage},
          {"forward_s", layer.forward_s},
          {"backward_s", layer.backward_s},
          {"activation_bytes", layer.activation.count},
          {"parameters", whole(layer.parameters)}};
}

Json json(const KernelTime& kernel) {
  constexpr const char* bounds[] = {"compute", "memory", "launch"};
  constexpr const char* origins[] = {"measured", "fitted", "datasheet", "given"};
  return {{"kernel", kernel.kernel},
          {"shape", kernel.shape},
          {"count", kernel.count},
          {"time_s", kernel.time_s},
          {"share", kernel.share},
          {"bound", bounds[static_cast<size_t>(kernel.bound)]},
          {"origin", origins[static_cast<size_t>(kernel.origin)]}};
}

Json json(const IfFree& gain) {
  Json j;
  for (size_t kind = 0; kind < traffic_kinds; ++kind)
    j[std::string(to_string(static_cast<Traffic>(kind))) + "_s"] = in_seconds(gain.traffic[kind]);
  j["host_s"] = in_seconds(gain.host);
  j["bubble_s"] = in_seconds(gain.bubble);
  return j;
}

}  // namespace

Json json_of(const RankResult& rank) {
  return {{"rank", rank.rank},
          {"stages", rank.stages},
          {"devices", rank.devices},
          {"layers", rank.layers},
          {"compute_s", in_seconds(rank.compute)},
          {"idle_s", in_seconds(rank.idle)},
          {"span_s", in_seconds(rank.span)},
          {"exposed_communication_s", in_seconds(rank.breakdown.communicating())},
          {"breakdown", json_of(rank.breakdown)},
          {"peak_memory_bytes", rank.memory.total().count},
          {"memory", memory_parts(rank.memory)},
          {"peak_in_flight", rank.peak_in_flight},
          {"peak_in_flight_to_weight_gradient", rank.peak_in_flight_to_weight_gradient},
          {"weight_versions", rank.weight_versions},
          {"staleness", rank.staleness}};
}

Json json_of(const SteadyState& steady) {
  return {{"period_s", in_seconds(steady.period)}, {"iterations", steady.iterations}};
}

Json json_of(const Breakdown& breakdown) {
  Json compute, exposed;
  for (size_t kind = 0; kind < compute_kinds; ++kind)
    compute[name_of(static_cast<ComputeKind>(kind))] = in_seconds(breakdown.compute[kind]);
  for (size_t kind = 0; kind < traffic_kinds; ++kind)
    exposed[to_string(static_cast<Traffic>(kind))] = in_seconds(breakdown.exposed[kind]);
  return {{"compute_s", compute},
          {"exposed_s", exposed},
          {"host_s", in_seconds(breakdown.host)},
          {"bubble_s", in_seconds(breakdown.bubble)}};
}

void add_detail(const ComputeDetail& detail, Json& j) {
  j["layers"] = Json::array();
  for (const LayerTime& layer : detail.layers) j["layers"].push_back(json(layer));
  j["kernels"] = Json::array();
  for (const KernelTime& kernel : detail.kernels) j["kernels"].push_back(json(kernel));
  if (detail.if_free) j["if_free"] = json(*detail.if_free);
}

Json json_of(const CriticalPath& path) {
  Json j = {{"forward_s", in_seconds(path.forward)},
            {"backward_s", in_seconds(path.backward)},
            {"input_gradient_s", in_seconds(path.input_gradient)},
            {"weight_gradient_s", in_seconds(path.weight_gradient)},
            {"step_s", in_seconds(path.step)}};
  for (size_t kind = 0; kind < traffic_kinds; ++kind) {
    if (static_cast<Traffic>(kind) == Traffic::host && path.communication[kind] == Time{}) continue;
    j[std::string(to_string(static_cast<Traffic>(kind))) + "_s"] =
        in_seconds(path.communication[kind]);
  }
  j["wait_s"] = in_seconds(path.wait);
  return j;
}

Json json_of(const Bounds& bounds) {
  return {{"longest_chain_s", in_seconds(bounds.longest_chain)},
          {"busiest_lane_s", in_seconds(bounds.busiest_lane)},
          {"cut_s", in_seconds(bounds.cut)}};
}

Json communication_of(const Metrics& metrics) {
  Json j = Json::object();
  for (size_t kind = 0; kind < traffic_kinds; ++kind) {
    const Communication& c = metrics.communication[kind];
    if (static_cast<Traffic>(kind) == Traffic::host && c.bytes == 0) continue;
    j[to_string(static_cast<Traffic>(kind))] = {
        {"bytes", whole(c.bytes)},
        {"time_s", in_seconds(c.time)},
        {"exposed_s", in_seconds(metrics.breakdown.exposed[kind])}};
  }
  return j;
}

Json whole(double bytes) {
  if (std::abs(bytes) < 0x1p62) return std::llround(bytes);
  return bytes;
}

}  // namespace pipewright
