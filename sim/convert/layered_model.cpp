#include "convert/layered_model.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/emit.hpp"
#include "diagnose/traced_layers.hpp"
#include "report/text/numbers.hpp"

namespace pipewright::convert {
namespace {

using config::Value;

Value value_of(const TimedLayer& layer) {
  Value item;
  item.set("name", config::scalar(layer.name)).quoted = true;
  item.set("forward", config::scalar(fmt::format("{} ms", layer.forward_ms)));
  item.set("backward", config::scalar(fmt::format("{} ms", layer.backward_ms)));
  const auto add = [&](const char* key, double number) {
    if (number >= 0) item.set(key, config::scalar(fmt::format("{:.0f}", number)));
  };
  add("activation", layer.activation_bytes);
  add("output", layer.output_bytes);
  add("parameters", layer.parameters);
  return item;
}

}  // namespace

Value layered_model(const std::string& description, const std::vector<TimedLayer>& layers) {
  Value model;
  model.set("description", config::scalar(description));
  Value& list = model.set("layers", {});
  list.kind = Value::Kind::list;
  for (const TimedLayer& layer : layers) list.items.push_back(value_of(layer));
  return model;
}

std::string model_of_profiles(const std::vector<std::string>& files) {
  const diagnose::TracedRanks traced =
      diagnose::read_traced_ranks(files, diagnose::Unreadable::refused);
  const diagnose::TracedLayers found = diagnose::traced_layers(traced.ranks);
  std::vector<TimedLayer> layers;
  for (const diagnose::TracedLayer& layer : found.layers)
    layers.push_back(
        {.name = layer.name,
         .forward_ms = in_seconds(layer.forward) * 1e3,
         .backward_ms = in_seconds(layer.backward) * 1e3,
         .output_bytes = found.message_bytes > 0 ? static_cast<double>(found.message_bytes) : -1});
  std::string head = fmt::format(
      "# Times are those of kernels on one device, for the micro-batch that was profiled. A step "
      "had\n"
      "# {} on {}. Its samples are not in the traces: add measured_batch: N, and\n"
      "# simulate with batch.micro: N. Nor is what a layer holds: add parameters and activation.\n",
      counted(found.micro_batches, "micro-batch"), counted(found.stages, "stage"));
  for (const std::string& note : traced.notes) head += fmt::format("# {}\n", printable(note));
  return head + config::to_yaml(
                    layered_model("measured by a profiler: " + printable(files.front()), layers));
}

}  // namespace pipewright::convert
