#include "calibrate/train/parallel/lenet.hpp"

#include "calibrate/train/parallel/spatial.hpp"

namespace pipewright::train {
namespace {

using kernels::WindowShape;

constexpr int64_t first_weights = 6 * (5 * 5 + 1);

SpatialLayer convolution_layer(const WindowShape& shape, int64_t out, int workers) {
  return {shape, out, workers, [out](const WindowShape& part) { return convolution(part, out); }};
}

SpatialLayer pool(int size, int channels, int workers) {
  const WindowShape shape{.height = size,
                          .width = size,
                          .channels = channels,
                          .window_height = 2,
                          .window_width = 2,
                          .stride = 2};
  return {shape, channels, workers, max_pool};
}

std::vector<SpatialLayer> feature_layers(int workers) {
  const WindowShape first{.height = 28,
                          .width = 28,
                          .channels = 1,
                          .window_height = 5,
                          .window_width = 5,
                          .pad_height = 2,
                          .pad_width = 2};
  const WindowShape second{
      .height = 14, .width = 14, .channels = 6, .window_height = 5, .window_width = 5};
  std::vector<SpatialLayer> layers;
  layers.push_back(convolution_layer(first, 6, workers));
  layers.push_back(pool(28, 6, workers));
  layers.push_back(convolution_layer(second, 16, workers));
  layers.push_back(pool(10, 16, workers));
  return layers;
}

/// Returns the weights of layer k; pools have none.
Tensor weights_of(size_t k, const Tensor& all) {
  if (k == 0) return all.column_range(0, first_weights);
  return k == 2 ? all.column_range(first_weights, lenet_weights - first_weights)
                : all.column_range(0, 0);
}

/// Moves from worker 0 to all.
Movement scatter(const std::vector<Range>& parts) {
  std::vector<Range> whole(parts.size());
  whole[0] = {0, parts.back().end()};
  return repartition(std::move(whole), parts);
}

Workers spread(Kernels& kernels, const Array& x, const std::vector<Range>& parts) {
  Workers whole(parts.size());
  whole[0] = x;
  return forward(scatter(parts), kernels, whole);
}

}  // namespace

LenetPass lenet_over(int workers, Kernels& kernels, const Array& x, const Tensor& weights,
                     const Array& dy) {
  std::vector<SpatialLayer> layers = feature_layers(workers);
  const std::vector<Range>&in = layers.front().in(), &out = layers.back().out();
  LenetPass pass{.gradients = kernels.array(1, lenet_weights)};
  kernels.zero(pass.gradients);
  Workers at = spread(kernels, x, in);
  for (size_t k = 0; k < layers.size(); ++k)
    at = layers[k].forward(kernels, weights_of(k, weights), at);
  pass.y = adjoint(scatter(out), kernels, at)[0];
  at = spread(kernels, dy, out);
  for (size_t k = layers.size(); k-- > 0;)
    at = layers[k].backward(kernels, weights_of(k, weights), at, weights_of(k, pass.gradients));
  pass.dx = adjoint(scatter(in), kernels, at)[0];
  return pass;
}

}  // namespace pipewright::train
