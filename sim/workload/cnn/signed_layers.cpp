// Convolutions and dense layers by SBP signatures (AutoDDL, arXiv 2301.06813).
//
// A convolution is the product [samples x places, C k k] [C k k, N]: `column` cuts its N output
// channels, `row` its C input channels, `batch` the samples. Partial sums are boxed before their
// ReLU, to how the next product takes them; everything else after the pools behind it, where less
// is left to send. Norms, ReLUs and pools run as their input lies; what comes out of the last
// product is whole, or lies by batch, for the loss. Gradients are boxed back on the same ways.
// Left out: residuals and branches.
#include "workload/cnn/signed_layers.hpp"

#include <fmt/format.h>

#include "workload/cnn/builder.hpp"

namespace pipewright::cnn {
namespace {

using Kind = CnnStep::Kind;

bool is_product(const CnnStep& step) { return step.kind == Kind::conv || step.kind == Kind::dense; }
bool is_pool(const CnnStep& step) {
  return step.kind == Kind::max_pool || step.kind == Kind::average_pool ||
         step.kind == Kind::global_pool;
}

/// Returns what the loss takes: samples where there are some apart, and whole rows.
Signatures loss_after(const Signatures& last) {
  Signatures loss;
  for (size_t side = 0; side < grid_sides; ++side)
    loss[side] = last[side] == Signature::batch ? Signature::batch : Signature::replicate;
  return loss;
}

class Chain {
 public:
  Chain(const CnnShape& shape, const WorkloadOptions& options, const config::Value& where)
      : shape_(shape),
        options_(options),
        grid_(options.tensor_grid),
        where_(where),
        builder_(shape, options) {
    builder_.set_last(&shape.layers.back());
    size_t products = 0;
    for (const CnnStep& step : shape.layers) {
      if (!is_product(step) && !is_pool(step))
        step.source.misfit("sbp is for chains of convolutions, pools and dense layers");
      products += is_product(step);
    }
    const size_t given = options.signatures.products.size();
    const bool named = given > 0 && !options.signatures.products.front().name.empty();
    if (given != products || named)
      options.signatures.given.misfit(fmt::format(
          "the model has {} convolutions and dense layers: a list of as many signatures",
          products));
    lies_ = on_sides(signatures(0), input_of);
  }

  std::vector<Layer> layers() {
    std::vector<Layer> layers;
    for (const CnnStep& step : shape_.layers) {
      const double input = layers.empty() ? device_bytes() : 0;
      const bool last = &step == &shape_.layers.back();
      Operations operations = is_product(step) ? multiplied(step) : pooled(step);
      if (last) append(operations, loss());
      layers.push_back(
          assemble({.name = fmt::format("layer {}: {}", layers.size(), step.source.text),
                    .kind = LayerKind::block,
                    .input = input,
                    .output = last ? 0 : device_bytes()},
                   operations, options_.recompute));
    }
    return layers;
  }

 private:
  const Signatures& signatures(size_t product) const {
    return options_.signatures.products[product].signatures;
  }
  /// Returns how the next product, or the loss, takes its input.
  Signatures next() const {
    const bool more = done_ < options_.signatures.products.size();
    return more ? signatures(done_) : loss_after(signatures(done_ - 1));
  }
  int64_t lying(Spread spread) const { return parts(grid_, lies_, spread); }
  /// Returns the bytes of one micro-batch of the present image, on all devices together.
  double bytes() const {
    return element_bytes(activation_dtype(options_.precision)) *
           static_cast<double>(options_.micro_batch) * builder_.at().size();
  }
  double device_bytes() const {
    return bytes() / static_cast<double>(lying(Spread::batch) * lying(Spread::features));
  }

  int64_t divided(int64_t size, int64_t count, const char* what) const {
    if (size % count == 0) return count;
    const config::Value& where = done_ < options_.signatures.products.size()
                                     ? options_.signatures.products[done_].given
                                     : where_;
    where.misfit(fmt::format("{} {} are cut in {}: they must be a multiple", size, what, count));
  }

  /// Moves what is there to where it lies `to`; its gradient lies `gradient` there.
  Operation boxed(const Spreads& to, const Spreads& gradient, const Spreads& gradient_used) {
    Operation operation;
    operation.forward_steps = boxing(grid_, lies_, to, bytes());
    if (done_ > 0) operation.input_gradient_steps = boxing(grid_, gradient, gradient_used, bytes());
    lies_ = to;
    if (!operation.forward_steps.empty()) operation.saved = device_bytes();
    return operation;
  }

  Operation enter(const Signatures& product) {
    const Spreads before = lies_;
    return boxed(on_sides(product, input_of), on_sides(product, input_gradient_of), before);
  }

  Operations multiplied(const CnnStep& step) {
    const Signatures& own = signatures(done_);
    Operations operations{enter(own)};
    int64_t rows = lying(Spread::features), columns = 1;
    for (size_t side = 0; side < grid_sides; ++side)
      if (own[side] == Signature::column) columns *= grid_.sides[side];
    const int64_t samples = divided(options_.micro_batch, lying(Spread::batch), "samples");
    divided(builder_.at().channels, rows, "input channels");
    divided(step.channels, columns, "output channels");
    Operations run = builder_.run_cut(step, {.samples = samples, .in = rows, .out = columns});
    Operation product = std::move(run.front());
    product.parameters *= static_cast<double>(rows * columns);
    product.parameters -= static_cast<double>((rows - 1) * step.channels);  // biases
    product.model_flops *= static_cast<double>(rows * columns);
    product.summed_over = summed_over(grid_, own);
    ++done_;
    lies_ = on_sides(own, output_of);
    if (lying(Spread::partial) > 1)
      append(operations, summed(std::move(product), own));
    else
      operations.push_back(std::move(product));
    return operations;
  }

  /// A product whose outputs are sums: boxed, then what follows it on one device.
  Operations summed(Operation product, const Signatures& own) {
    Spreads to = lies_;
    const Spreads next_input = on_sides(next(), input_of);
    int64_t scattered = 1;
    for (size_t side = 0; side < grid_sides; ++side) {
      if (lies_[side] != Spread::partial) continue;
      to[side] = next_input[side];
      if (to[side] != Spread::whole) scattered *= grid_.sides[side];
    }
    Operation after;
    after.forward.assign(product.forward.begin() + 1, product.forward.end());
    product.forward.resize(1);
    std::vector<Work>& gradient = product.input_gradient;
    const bool kept =  // the first has none
        !gradient.empty() && gradient.back().kernel == Kernel::gemm;
    after.input_gradient.assign(gradient.begin(), gradient.end() - kept);
    gradient.erase(gradient.begin(), gradient.end() - kept);
    for (std::vector<Work>* works : {&after.forward, &after.input_gradient})
      for (Work& work : *works) work.read.count /= scattered, work.written.count /= scattered;
    after.saved = product.saved / static_cast<double>(scattered);
    product.saved = 0;
    Operation box = boxed(to, to, on_sides(own, output_gradient_of));
    box.saved = 0;  // the ReLU works in place on it
    return {std::move(product), std::move(box), std::move(after)};
  }

  Operations pooled(const CnnStep& step) {
    const int64_t channels = lying(Spread::features);
    divided(builder_.at().channels, channels, "channels");
    const int64_t samples = divided(options_.micro_batch, lying(Spread::batch), "samples");
    return builder_.run_cut(step, {.samples = samples, .in = channels, .out = channels});
  }

  Operations loss() {
    Operations operations{enter(next())};
    operations.push_back(builder_.loss());
    return operations;
  }

  const CnnShape& shape_;
  const WorkloadOptions& options_;
  const TensorGrid& grid_;
  const config::Value& where_;
  Builder builder_;
  size_t done_ = 0;  ///< products
  Spreads lies_{};   ///< what is there
};

}  // namespace

std::vector<Layer> signed_layers(const CnnShape& shape, const WorkloadOptions& options,
                                 const config::Value& where) {
  return Chain(shape, options, where).layers();
}

}  // namespace pipewright::cnn
