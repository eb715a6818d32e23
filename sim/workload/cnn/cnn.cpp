#include "workload/cnn/cnn.hpp"

#include <fmt/format.h>

#include "workload/cnn/builder.hpp"
#include "workload/cnn/signed_layers.hpp"

namespace pipewright {
namespace {

std::string name_of(const CnnStep& step, size_t number) {
  const bool plain = step.parts.empty() && step.name.empty();
  return plain ? fmt::format("layer {}: {}", number, step.source.text)
               : fmt::format("layer {}", number);
}

}  // namespace

std::vector<Layer> cnn_layers(const CnnShape& shape, const WorkloadOptions& options,
                              const config::Value& where) {
  if (options.tensor_grid.kind == TensorKind::signatures)
    return cnn::signed_layers(shape, options, where);
  if (options.tensor > 1 || options.context > options.context_split.strips || options.expert > 1) {
    where.misfit(
        "a convolutional network's weights cannot be split: tensor, context and expert must be 1; "
        "parallel.spatial splits its images");
  }
  cnn::Builder builder(shape, options);
  builder.set_last(&shape.layers.back());
  std::vector<Layer> layers;
  for (const CnnStep& step : shape.layers) {
    const double input = builder.boundary();
    Operations operations = builder.run(step);
    const bool last = &step == &shape.layers.back();
    if (last) operations.push_back(builder.loss());
    layers.push_back(assemble({.name = name_of(step, layers.size()),
                               .kind = LayerKind::block,
                               .input = layers.empty() ? input : 0,
                               .output = last ? 0 : builder.boundary()},
                              operations, options.recompute));
  }
  return layers;
}

}  // namespace pipewright
