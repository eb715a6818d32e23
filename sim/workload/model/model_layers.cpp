#include "workload/model/model_layers.hpp"

#include "workload/cnn/cnn.hpp"
#include "workload/transformer/transformer.hpp"

namespace pipewright {
namespace {

void mark(Segments& segments, Origin origin) {
  for (Segment& segment : segments)
    for (Work& work : segment.kernels) work.origin = origin;
}

std::vector<Layer> layers_of(const Model& model, const WorkloadOptions& options,
                             const config::Value& where) {
  if (model.cnn) return cnn_layers(*model.cnn, options, where);
  if (model.recurrent) return recurrent_layers(*model.recurrent, options, where);
  if (model.layers) return measured_layers(*model.layers, options, where);
  return transformer_layers(model.transformer, options, model.sequence.value_or(0), where);
}

}  // namespace

std::vector<Layer> model_layers(const Model& model, const WorkloadOptions& options,
                                const config::Value& where) {
  if (options.context_split.strips > 1 && !model.cnn)
    where.misfit("parallel.spatial cuts images: it is for convolutional networks");
  if (options.pieces > 1 && (!model.cnn || options.tensor_grid.kind == TensorKind::signatures))
    where.misfit("partition.pieces cuts layers of convolutional networks without parallel.sbp");
  if (options.adapter_rank > 0 && (model.cnn || model.recurrent || model.layers))
    where.misfit("adapters stand beside the products of a transformer: other models have none");
  std::vector<Layer> layers = layers_of(model, options, where);
  for (size_t k = 0; k < layers.size(); ++k) {
    const auto number = static_cast<int32_t>(k);
    mark(layers[k].forward, {number, Purpose::forward});
    mark(layers[k].recompute, {number, Purpose::recompute});
    mark(layers[k].input_gradient, {number, Purpose::input_gradient});
    mark(layers[k].weight_gradient, {number, Purpose::weight_gradient});
  }
  return layers;
}

ModelParameters count_parameters(const Model& model) {
  WorkloadOptions alone;  // on one device, which holds every expert
  alone.sequence = model.sequence.value_or(1);
  ModelParameters count;
  double routed = 0;
  for (const Layer& layer : model_layers(model, alone, {})) {
    count.all += layer.parameters;
    routed += layer.device_expert_parameters;
  }
  const auto& experts = model.transformer.experts;
  const double passed = experts ? experts->working() / as_double(experts->count) : 1;
  count.active = count.all - routed * (1 - passed);
  return count;
}

}  // namespace pipewright
