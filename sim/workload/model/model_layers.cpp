#include "workload/model/model_layers.hpp"

#include "workload/cnn/cnn.hpp"
#include "workload/transformer/transformer.hpp"

namespace pipewright {

std::vector<Layer> model_layers(const Model& model, const WorkloadOptions& options,
                                const config::Value& where) {
  if (options.strips > 1 && !model.cnn)
    where.misfit("parallel.spatial cuts images: it is for convolutional networks");
  if (model.cnn) return cnn_layers(*model.cnn, options, where);
  if (model.recurrent) return recurrent_layers(*model.recurrent, options, where);
  if (model.layers) return measured_layers(*model.layers, options, where);
  return transformer_layers(model.transformer, options, model.sequence.value_or(0), where);
}

}  // namespace pipewright
