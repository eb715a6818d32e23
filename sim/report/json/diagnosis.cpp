#include "report/json/diagnosis.hpp"

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "report/json/metrics.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Cause& cause) {
  Json j = {{"cause", name_of(cause.kind)},
            {"who", cause.who},
            {"recovered_s", cause.recovered_s},
            {"attributed_s", cause.attributed_s}};
  if (cause.share) j["share"] = *cause.share;
  if (cause.share_of_causes) j["share_of_causes"] = *cause.share_of_causes;
  if (cause.beyond_peers) j["at_most"] = true;
  if (!cause.remedy.empty()) j["remedy"] = cause.remedy;
  if (!cause.devices.empty()) j["devices"] = cause.devices;
  if (cause.remedied_s) j["remedied_s"] = *cause.remedied_s;
  if (cause.gain_p10_s) j["gain_p10_s"] = *cause.gain_p10_s;
  if (cause.gain_p90_s) j["gain_p90_s"] = *cause.gain_p90_s;
  return j;
}

Json json_of(const DiagnosedRank& rank) {
  return {{"data", rank.data},
          {"stage", rank.stage},
          {"replicas", rank.replicas},
          {"relative_compute", rank.relative_compute},
          {"breakdown", pipewright::json_of(rank.breakdown)}};
}

Json json_of(const StepFinding& step) {
  return {{"step", step.number},
          {"measured_s", step.measured_s},
          {"simulated_s", step.simulated_s},
          {"ideal_s", step.ideal_s}};
}

Json json_of(const FoundParallelism& found) {
  return {{"tensor", found.tensor},  {"pipeline", found.pipeline}, {"data", found.data},
          {"virtual", found.chunks}, {"context", found.context},   {"expert", found.expert}};
}

Json schedule_detail(const ScheduleFinding& schedule) {
  Json j = {{"nearest_distance", schedule.distance}, {"passes", schedule.passes}};
  if (!schedule.deviation.empty()) j["deviation"] = schedule.deviation;
  return j;
}

Json json_of(const ClockFinding& clocks) {
  return {{"events", clocks.groups},
          {"largest_offset_s", clocks.largest_s},
          {"error_s", clocks.error_s},
          {"aligned_ranks", clocks.aligned}};
}

Json json_of(const KernelKindTime& kernel, bool predicted) {
  Json j = {{"kind", kernel.kind}, {"measured_s", kernel.measured_s}};
  if (predicted) j["predicted_s"] = kernel.predicted_s;
  return j;
}

Json json_of(const LayerKernelTime& layer) {
  Json j = {{"name", layer.name}, {"forward_s", layer.forward_s}, {"backward_s", layer.backward_s}};
  if (layer.predicted_forward_s) j["predicted_forward_s"] = *layer.predicted_forward_s;
  if (layer.predicted_backward_s) j["predicted_backward_s"] = *layer.predicted_backward_s;
  return j;
}

Json json_of(const PredictedStep& step, double measured_s) {
  return {{"iteration_time_s", step.iteration_time_s},
          {"error", measured_s > 0 ? (step.iteration_time_s - measured_s) / measured_s : 0},
          {"breakdown", pipewright::json_of(step.breakdown)}};
}

Json json_of(const Changed& one) {
  return {{"before_s", one.before_s}, {"after_s", one.after_s}, {"change_s", one.change_s()}};
}

Json named(const char* key, const Changed& one) {
  Json j = {{key, one.name}};
  j.update(json_of(one));
  return j;
}

Json json_of(const RunChange& change) {
  Json parts = Json::array(), causes = Json::array(), kernels = Json::array();
  for (const Changed& part : change.parts) parts.push_back(named("part", part));
  for (const ChangedCause& cause : change.causes) {
    causes.push_back({{"cause", name_of(cause.kind)}});
    causes.back().update(named("who", cause.recovered));
  }
  for (const Changed& kernel : change.kernels) kernels.push_back(named("kernel", kernel));
  return {{"source", change.source},
          {"measured", json_of(change.measured)},
          {"simulated", json_of(change.simulated)},
          {"ideal", json_of(change.ideal)},
          {"breakdown", parts},
          {"causes", causes},
          {"kernels", kernels},
          {"notes", change.notes}};
}

template <class List>
Json list_of(const List& list) {
  Json j = Json::array();
  for (const auto& one : list) j.push_back(json_of(one));
  return j;
}

}  // namespace

std::string json_text(const Diagnosis& diagnosis) {
  Json j = {{"schema", "pipewright.diagnosis/1"},
            {"source", diagnosis.source},
            {"steps", diagnosis.steps.size()},
            {"measured_s", diagnosis.typical.measured_s},
            {"simulated_s", diagnosis.typical.simulated_s},
            {"ideal_s", diagnosis.typical.ideal_s},
            {"slowdown", diagnosis.typical.slowdown},
            {"explained_fraction", diagnosis.typical.explained_fraction},
            {"parallel", json_of(diagnosis.parallel)},
            {"micro_batches", diagnosis.micro_batches},
            {"schedule", diagnosis.schedule.name},
            {"schedule_detail", schedule_detail(diagnosis.schedule)},
            {"clocks", json_of(diagnosis.clocks)},
            {"breakdown", json_of(diagnosis.breakdown)},
            {"causes", list_of(diagnosis.causes)},
            {"ranks", list_of(diagnosis.ranks)},
            {"step_times", list_of(diagnosis.steps)},
            {"notes", diagnosis.notes}};
  for (size_t i = 0; i < diagnosis.causes.size(); ++i)
    if (const auto nodes = whole_nodes(diagnosis, diagnosis.causes[i].devices); !nodes.empty())
      j["causes"][i]["nodes"] = nodes;
  if (!diagnosis.kernels.empty()) j["kernels"] = Json::array();
  for (const KernelKindTime& kernel : diagnosis.kernels)
    j["kernels"].push_back(json_of(kernel, diagnosis.predicted.has_value()));
  if (!diagnosis.layers.empty()) j["layers"] = list_of(diagnosis.layers);
  if (diagnosis.predicted)
    j["prediction"] = json_of(*diagnosis.predicted, diagnosis.typical.measured_s);
  if (diagnosis.change) j["change"] = json_of(*diagnosis.change);
  return dump_json(j, 2) + '\n';
}

}  // namespace pipewright
