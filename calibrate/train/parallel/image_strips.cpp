// A convolutional network over ranks that have strips of the same images, up to its first dense
// layer; from there on they have samples of their own. Where rows are exchanged is the simulated
// program's to say: it does so for every window that reaches over a strip, backward from the second
// layer with weights on.
#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "calibrate/train/layers/model.hpp"
#include "calibrate/train/parallel/own_sequences.hpp"
#include "calibrate/train/parallel/strip_layers.hpp"
#include "workload/cnn/strip_rows.hpp"

namespace pipewright::train {
namespace {

using ImageKind = CnnStep::Kind;

cnn::RowWindows row_windows(const Image& at, const CnnStep& step) {
  return {at.height, step.height, step.stride, step.pad_height};
}

/// Returns what follows on `at`.
Image after(const Image& at, const CnnStep& step) {
  const int64_t width = (at.width + 2 * step.pad_width - step.width) / step.stride + 1;
  switch (step.kind) {
    case ImageKind::conv:
      return {step.channels, row_windows(at, step).out(), width};
    case ImageKind::max_pool:
      return {at.channels, row_windows(at, step).out(), width};
    default:
      return {step.channels, 1, 1};
  }
}

class StripBuilder {
 public:
  StripBuilder(const CnnShape& shape, const Strip& strip)
      : at_(shape.input), strip_(strip), last_(&shape.layers.back()) {}

  void first() { add(image_strip(at_.height, row(), at_.channels, strip_)); }
  void block(const CnnStep& step) {
    cuts_.push_back(steps_.size());
    layer(step);
  }
  void last() { add(over_sequences(cross_entropy(), strip_.number, strip_.count)); }

  /// Returns what was added since the stage before; all ranks have all weights.
  Stage stage(const Stage& whole) {
    Stage stage{.layers = {}, .initial = whole.initial, .places = {}};
    if (cuts_.empty()) cuts_.push_back(0);
    cuts_.front() = 0;
    stage.layers = Sequence(std::exchange(steps_, {}), std::exchange(cuts_, {}));
    ensure(stage.layers.parameters() == whole.parameters(), "all ranks have all weights");
    return stage;
  }

 private:
  int64_t row() const { return at_.width * at_.channels; }
  void add(LayerPointer layer) { steps_.push_back({Step::Kind::layer, std::move(layer), nullptr}); }
  void add(SharedLayerPointer layer) {
    steps_.push_back({Step::Kind::shared, nullptr, std::move(layer)});
  }

  void layer(const CnnStep& step) {
    if (step.kind == ImageKind::unit) {
      for (const CnnStep& part : step.parts.front()) layer(part);
      return;
    }
    if (step.kind == ImageKind::dense)
      dense(step);
    else
      windows(step);
    has_weights_ = has_weights_ || step.kind != ImageKind::max_pool;
    at_ = after(at_, step);
  }

  void windows(const CnnStep& step) {
    const auto narrow = [](int64_t n) { return static_cast<int>(n); };
    const kernels::WindowShape shape{.height = narrow(at_.height),
                                     .width = narrow(at_.width),
                                     .channels = narrow(at_.channels),
                                     .window_height = narrow(step.height),
                                     .window_width = narrow(step.width),
                                     .stride = narrow(step.stride),
                                     .pad_height = narrow(step.pad_height),
                                     .pad_width = narrow(step.pad_width)};
    const bool reaches = cnn::rows_exchanged(row_windows(at_, step), strip_.count) > 0;
    const StripExchange exchanges{reaches, reaches && has_weights_};
    if (step.kind == ImageKind::max_pool) {
      add(strip_windows(shape, at_.channels, strip_, exchanges, max_pool));
      return;
    }
    const auto make = [&](const kernels::WindowShape& own) {
      return convolution(own, step.channels);
    };
    add(strip_windows(shape, step.channels, strip_, exchanges, make));
    add(relu());
  }

  void dense(const CnnStep& step) {
    if (!std::exchange(shares_samples_, true))
      add(share_out_samples(at_.height, row(), at_.channels, strip_, has_weights_));
    const int64_t places = at_.height * at_.width;
    if (places > 1) add(flatten(places));
    add(linear(places * at_.channels, step.channels, true));
    if (&step != last_) add(relu());
  }

  Image at_;
  Strip strip_;
  const CnnStep* last_;
  bool has_weights_ = false;  ///< something before
  bool shares_samples_ = false;
  std::vector<Step> steps_;
  std::vector<size_t> cuts_;
};

std::string not_in_strips(const std::vector<CnnStep>& steps, int strips, Image& at) {
  for (const CnnStep& step : steps) {
    if (step.kind == ImageKind::unit) {
      if (const std::string why = not_in_strips(step.parts.front(), strips, at); !why.empty())
        return why;
      continue;
    }
    if (step.kind == ImageKind::dense) return "";
    if (step.kind == ImageKind::max_pool && step.pad_height > 0) return "a max-pool that is padded";
    at = after(at, step);
    if (at.height < strips)
      return fmt::format("'{}', which leaves {} rows for {} strips,", step.source.text, at.height,
                         strips);
  }
  return "";
}

}  // namespace

std::vector<Stage> strip_stages(const CnnShape& shape, int strip, int strips,
                                const std::vector<int>& blocks, const std::vector<Stage>& whole) {
  StripBuilder builder(shape, {strip, strips});
  std::vector<Stage> stages;
  auto next = shape.layers.begin();
  for (size_t k = 0; k < blocks.size(); ++k) {
    if (k == 0) builder.first();
    for (int i = 0; i < blocks[k]; ++i, ++next) builder.block(*next);
    if (k + 1 == blocks.size()) builder.last();
    stages.push_back(builder.stage(whole[k]));
  }
  return stages;
}

std::string not_in_strips(const CnnShape& shape, int strips) {
  Image at = shape.input;
  return not_in_strips(shape.layers, strips, at);
}

}  // namespace pipewright::train
