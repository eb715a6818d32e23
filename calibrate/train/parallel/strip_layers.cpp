#include "calibrate/train/parallel/strip_layers.hpp"

#include "base/error.hpp"

namespace pipewright::train {
namespace {

using kernels::WindowShape;

class StripWindows final : public SharedLayer {
 public:
  StripWindows(const WindowShape& shape, int64_t out_channels, const Strip& strip,
               const StripExchange& exchanges,
               const std::function<LayerPointer(const WindowShape&)>& make)
      : exchanges_(exchanges), channels_(shape.channels) {
    const int64_t in_row = int64_t{shape.width} * shape.channels;
    cut_.own = even_parts(shape.height * in_row, strip.count, in_row);
    const auto rows = even_parts(shape.out_height(), strip.count);
    WindowShape own = shape;
    own.pad_height = 0;
    for (const Range& out : rows) {
      ensure(out.count > 0, "every rank has a row of the output");
      const int64_t top = out.first * shape.stride - shape.pad_height;
      const int64_t height = (out.count - 1) * shape.stride + shape.window_height;
      cut_.want.push_back({top * in_row, height * in_row});
      if (cut_.want.size() == static_cast<size_t>(strip.number) + 1)
        own.height = static_cast<int>(height);
    }
    const auto number = static_cast<size_t>(strip.number);
    alone_ = {{cut_.own[number]}, {cut_.want[number]}};
    out_columns_ = rows[number].count * shape.out_width() * out_channels;
    layer_ = make(own);
  }

  int64_t parameters() const override { return layer_->parameters(); }

  void forward(const Call& call, Progress& at) const override {
    if (at.part == 0) {
      const Array own = with_columns(at.x, alone_.own[0].count);
      if (exchanges_.forward) {
        at.moving = {{Exchange::halo, own, &cut_}};
        return;
      }
      at.x = train::forward(alone_, call.kernels, {own})[0];
    } else {
      at.x = at.arrived[0];
    }
    at.x = layer_->forward(call, with_columns(at.x, channels_));
  }

  void input_gradient(const Call& call, Progress& at) const override {
    if (at.part == 0) {
      const Array dx = with_columns(layer_->input_gradient(call, at.x), alone_.want[0].count);
      if (exchanges_.backward) {
        at.moving = {{Exchange::home, dx, &cut_}};
        return;
      }
      at.x = adjoint(alone_, call.kernels, {dx})[0];
    } else {
      at.x = at.arrived[0];
    }
    at.x = with_columns(at.x, channels_);
  }

  void weight_gradient(const Call& call, const Tensor& gradients, Progress&) const override {
    layer_->weight_gradient(call, gradients);
  }

 private:
  StripExchange exchanges_;
  Movement cut_;    ///< of all ranks
  Movement alone_;  ///< of this one
  LayerPointer layer_;
  int64_t channels_, out_columns_ = 0;
};

class ShareOutSamples final : public SharedLayer {
 public:
  ShareOutSamples(int64_t rows, int64_t row, int64_t channels, const Strip& strip,
                  bool has_gradient)
      : own_(static_cast<size_t>(strip.number)),
        columns_(rows * row),
        channels_(channels),
        has_gradient_(has_gradient) {
    cut_.own = even_parts(columns_, strip.count, row);
  }

  void forward(const Call&, Progress& at) const override {
    if (at.part == 0)
      at.moving = {{Exchange::samples, with_columns(at.x, cut_.own[own_].count), &cut_}};
    else
      at.x = with_columns(at.arrived[0], channels_);
  }
  void input_gradient(const Call&, Progress& at) const override {
    if (!has_gradient_)
      at.x = {};
    else if (at.part == 0)
      at.moving = {{Exchange::strips, with_columns(at.x, columns_), &cut_}};
    else
      at.x = with_columns(at.arrived[0], channels_);
  }

 private:
  size_t own_;
  int64_t columns_, channels_;
  bool has_gradient_;
  Movement cut_;
};

class ImageStrip final : public Layer {
 public:
  ImageStrip(int64_t rows, int64_t row, int64_t channels, const Strip& strip)
      : numbers_(static_cast<size_t>(rows * row)),
        channels_(channels),
        own_(even_parts(rows * row, strip.count, row)[static_cast<size_t>(strip.number)]) {}

  Array forward(const Call& call, const Array&) const override {
    std::vector<float> own;
    for (size_t first = 0; first < call.batch.features.size(); first += numbers_) {
      const auto begin = call.batch.features.begin() + static_cast<std::ptrdiff_t>(first);
      own.insert(own.end(), begin + own_.first, begin + own_.end());
    }
    Array x = call.kernels.array(static_cast<int64_t>(own.size()) / channels_, channels_);
    call.kernels.upload(own, x);
    return x;
  }
  Array input_gradient(const Call&, const Array&) const override { return {}; }
  void weight_gradient(const Call&, const Tensor&) const override {}

 private:
  size_t numbers_;  ///< of a sample
  int64_t channels_;
  Range own_;
};

}  // namespace

SharedLayerPointer strip_windows(const WindowShape& shape, int64_t out_channels, const Strip& strip,
                                 const StripExchange& exchanges,
                                 const std::function<LayerPointer(const WindowShape&)>& make) {
  return std::make_unique<StripWindows>(shape, out_channels, strip, exchanges, make);
}
SharedLayerPointer share_out_samples(int64_t rows, int64_t row, int64_t channels,
                                     const Strip& strip, bool has_gradient) {
  return std::make_unique<ShareOutSamples>(rows, row, channels, strip, has_gradient);
}
LayerPointer image_strip(int64_t rows, int64_t row, int64_t channels, const Strip& strip) {
  return std::make_unique<ImageStrip>(rows, row, channels, strip);
}

}  // namespace pipewright::train
