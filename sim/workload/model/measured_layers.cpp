#include "workload/model/measured_layers.hpp"

#include <fmt/format.h>

namespace pipewright {
namespace {

MeasuredLayer read_layer(const config::Value& value, size_t number) {
  const config::Fields fields(
      value, "a measured layer",
      {"name", "forward", "backward", "weight_gradient", "activation", "output", "parameters"});
  MeasuredLayer layer{.name = fields.text("name", fmt::format("layer {}", number))};
  layer.forward = config::as_time(fields.at("forward"));
  layer.backward = config::as_time(fields.at("backward"));
  layer.weight_gradient = fields.time("weight_gradient", divide(layer.backward, 2));
  if (layer.weight_gradient > layer.backward) {
    fields.at("weight_gradient").fail("weight_gradient is a part of backward, so not longer");
  }
  layer.activation = fields.bytes("activation", {});
  layer.output = fields.bytes("output", layer.activation);
  if (const config::Value* count = fields.find("parameters"))
    layer.parameters = config::as_count(*count);
  return layer;
}

Segments fixed(Time time) { return {{{Work{.fixed = time}}, std::nullopt}}; }

}  // namespace

MeasuredLayers read_measured_layers(const config::Value& layers, const config::Value* batch) {
  if (!layers.is_list() || layers.items.empty())
    layers.fail("layers is a list such as [{forward: 1 ms, backward: 2 ms, activation: 8 MiB}]");
  MeasuredLayers model;
  if (batch) model.measured_batch = config::as_int(*batch, 1, 1 << 20);
  for (const config::Value& item : layers.items)
    model.layers.push_back(read_layer(item, model.layers.size() + 1));
  return model;
}

std::vector<Layer> measured_layers(const MeasuredLayers& model, const WorkloadOptions& options,
                                   const config::Value& where) {
  if (options.tensor > 1 || options.context > 1 || options.expert > 1)
    where.misfit("measured layers cannot be split: tensor, context and expert must be 1");
  if (options.recompute.any())
    where.misfit("nothing says what of a measured layer is run again: recompute must be none");
  const double share =
      static_cast<double>(options.micro_batch) / static_cast<double>(model.measured_batch);
  const auto scaled = [&](Time time) { return seconds(in_seconds(time) * share); };
  std::vector<Layer> layers;
  for (const MeasuredLayer& measured : model.layers) {
    Layer layer{.name = measured.name, .kind = LayerKind::block};
    layer.parameters = layer.device_parameters = measured.parameters;
    const Time weights = scaled(measured.weight_gradient);
    layer.forward = fixed(scaled(measured.forward));
    layer.input_gradient = fixed(scaled(measured.backward) - weights);
    layer.weight_gradient = fixed(weights);
    layer.stash = whole_bytes(static_cast<double>(measured.activation.count) * share);
    layer.output = whole_bytes(static_cast<double>(measured.output.count) * share);
    layers.push_back(std::move(layer));
  }
  return layers;
}

}  // namespace pipewright
