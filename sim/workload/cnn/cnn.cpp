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

/// Returns into how many pieces a step is cut: a product whose channels divide, and not the last,
/// on whose outputs the loss depends all at once.
int64_t pieces_of(const CnnStep& step, bool last, int64_t wanted) {
  using Kind = CnnStep::Kind;
  const bool product =
      step.kind == Kind::conv || step.kind == Kind::up_conv || step.kind == Kind::dense;
  return product && !last && step.channels % wanted == 0 ? wanted : 1;
}

/// The gradient of the input is a sum over the pieces.
Operation sum_of_gradients(const WorkloadOptions& options, double input) {
  Operation sum;
  sum.input_gradient = {{.kernel = Kernel::elementwise,
                         .dtype = options.precision,
                         .direction = Direction::input_gradient,
                         .read = whole_bytes(2 * input),
                         .written = whole_bytes(input)}};
  return sum;
}

/// Appends the pieces of a step, each with its share of the output channels. Between two of them
/// goes what enters the step, with the outputs that are there.
void add_pieces(const CnnStep& step, int64_t pieces, const WorkloadOptions& options,
                cnn::Builder& builder, std::vector<Layer>& layers) {
  const double input = builder.boundary();
  const bool first = layers.empty();
  const std::string name = name_of(step, layers.size());
  const Operations piece = builder.run_cut(step, {.out = pieces});
  for (int64_t k = 1; k <= pieces; ++k) {
    Operations operations = piece;
    if (k < pieces && !first) operations.push_back(sum_of_gradients(options, input));
    const double made = builder.boundary() * static_cast<double>(k) / static_cast<double>(pieces);
    layers.push_back(assemble({.name = fmt::format("{} ({} of {})", name, k, pieces),
                               .kind = LayerKind::block,
                               .input = first && k == 1 ? input : 0,
                               .output = k == pieces ? made : input + made},
                              operations, options.recompute));
  }
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
    const bool last = &step == &shape.layers.back();
    if (const int64_t pieces = pieces_of(step, last, options.pieces); pieces > 1) {
      add_pieces(step, pieces, options, builder, layers);
      continue;
    }
    Operations operations = builder.run(step);
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
