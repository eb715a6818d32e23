#include <fmt/format.h>

#include "base/error.hpp"
#include "calibrate/train/layers/model.hpp"

namespace pipewright::train {
namespace {

using ImageKind = CnnStep::Kind;

class ImageBuilder {
 public:
  explicit ImageBuilder(const CnnShape& shape) : at_(shape.input), last_(&shape.layers.back()) {}

  LayerPointer layer(const CnnStep& step) {
    switch (step.kind) {
      case ImageKind::conv:
        return convolution_layer(step);
      case ImageKind::max_pool: {
        LayerPointer pool = max_pool(windows(step));
        move_to(step, at_.channels);
        return pool;
      }
      case ImageKind::dense:
        return dense(step);
      case ImageKind::unit:
        return unit(step);
      default:
        ensure(false, "only layers that can be trained come here");
        return nullptr;
    }
  }

 private:
  kernels::WindowShape windows(const CnnStep& step) const {
    const auto narrow = [](int64_t n) { return static_cast<int>(n); };
    return {.height = narrow(at_.height),
            .width = narrow(at_.width),
            .channels = narrow(at_.channels),
            .window_height = narrow(step.height),
            .window_width = narrow(step.width),
            .stride = narrow(step.stride),
            .pad_height = narrow(step.pad_height),
            .pad_width = narrow(step.pad_width)};
  }

  void move_to(const CnnStep& step, int64_t channels) {
    const kernels::WindowShape shape = windows(step);
    at_ = {channels, shape.out_height(), shape.out_width()};
  }

  LayerPointer convolution_layer(const CnnStep& step) {
    LayerPointer layer = convolution(windows(step), step.channels);
    move_to(step, step.channels);
    return chain_of(std::move(layer), relu());
  }

  LayerPointer dense(const CnnStep& step) {
    const int64_t places = at_.height * at_.width, in = places * at_.channels;
    at_ = {step.channels, 1, 1};
    std::vector<LayerPointer> layers;
    if (places > 1) layers.push_back(flatten(places));
    layers.push_back(linear(in, step.channels, true));
    if (&step != last_) layers.push_back(relu());
    return chain(std::move(layers));
  }

  LayerPointer unit(const CnnStep& step) {
    std::vector<LayerPointer> layers;
    for (const CnnStep& part : step.parts.front()) layers.push_back(layer(part));
    return chain(std::move(layers));
  }

  Image at_;
  const CnnStep* last_;
};

std::string unsupported(const CnnStep& step) {
  switch (step.kind) {
    case ImageKind::conv:
    case ImageKind::max_pool:
    case ImageKind::dense:
      return "";
    case ImageKind::unit:
      for (const CnnStep& part : step.parts.front())
        if (const std::string what = unsupported(part); !what.empty()) return what;
      return "";
    default:
      return step.source.is_scalar() ? fmt::format("'{}'", step.source.text)
                                     : "a layer other than conv, max-pool, dense and unit";
  }
}

}  // namespace

Network image_network(const CnnShape& shape) {
  Network network;
  const Image& input = shape.input;
  network.first = images(input.height * input.width, input.channels);
  ImageBuilder builder(shape);
  for (const CnnStep& step : shape.layers) network.blocks.push_back(builder.layer(step));
  network.last = cross_entropy();
  return network;
}

std::string unsupported(const CnnShape& shape) {
  if (shape.norm) return "batch normalisation";
  if (shape.layers.back().kind != ImageKind::dense) return "a network that does not end in 'dense'";
  for (const CnnStep& step : shape.layers)
    if (const std::string what = unsupported(step); !what.empty()) return what;
  return "";
}

}  // namespace pipewright::train
