// An LSTM layer of width h over inputs of width i, b sentences of s tokens:
//   the inputs' share of the four gates for all tokens at once, [b s, i] [i, 4 h]; then, token by
//   token, [b, h] [h, 4 h] and the cell's arithmetic, a kernel each. A token waits for the one
//   before it, so these kernels run in turn; cuDNN starts them in one loop. Backward the same in
//   reverse, weight gradients for all tokens at once. FLOPs 8 b s h (i + h) each; two biases of
//   4 h, as cuDNN has.
// Kept: gates, cell and output, 6 h numbers a token. From the third layer on inputs are added to
// outputs. The decoder's first layer attends to the encoder (Bahdanau et al., arXiv 1409.0473) once
// it is through with all target tokens, and hands its context to the layers after it, which read
// h + h numbers a token. Additive scores are b s^2 h numbers: made, biased, put through tanh and
// multiplied with a vector by a kernel each, kept once; backward made twice and read six times. The
// translator's loss has smoothed labels: over the vocabulary one more pass forward, and backward
// two gradients in fp32 and their sum. Both as in NVIDIA/DeepLearningExamples 729963dd47,
// PyTorch/Translation/GNMT (attention.py, decoder.py, smoothing.py). A cut sends on what later
// layers need as well: the encoder's output before the attention, the context after it.
// Left out: one embedding for both languages where a model shares it (its parameters are counted
// twice), dropout, kernels that keep recurrent weights on chip, words that pad a batch.
#include "workload/model/recurrent.hpp"

#include <fmt/format.h>

#include "base/units.hpp"
#include "workload/operation.hpp"

namespace pipewright {
namespace {

/// The translator, with what every layer needs to know of the run.
class Translator {
 public:
  Translator(const RecurrentShape& shape, const WorkloadOptions& options)
      : h_(shape.hidden),
        vocabulary_(shape.vocabulary),
        sentences_(options.micro_batch),
        steps_(options.sequence),
        smoothed_(shape.layers == 0),
        dtype_(activation_dtype(options.precision)),
        element_(element_bytes(dtype_)),
        gradient_(element_bytes(options.gradients)) {}

  /// Bytes of `width` numbers a token.
  double bytes(int64_t width) const { return element_ * as_double(tokens()) * as_double(width); }

  Operation embedding() const {
    const double y = bytes(h_), gradient = y / element_ * gradient_;
    Operation operation;
    operation.forward = {with_weights(stream(Kernel::embedding, Direction::forward, y, y), y)};
    operation.weight_gradient = {
        stream(Kernel::embedding, Direction::weight_gradient, y + gradient, gradient)};
    operation.parameters = operation.device_parameters = as_double(h_) * as_double(vocabulary_);
    operation.saved = 8 * as_double(tokens());
    return operation;
  }

  Operation lstm(int64_t in) const {
    Operation operation = linear(tokens(), in, 4 * h_, 1);
    append(operation, linear(sentences_, h_, 4 * h_, steps_));
    const double cell = bytes(h_);
    operation.forward.push_back(cells(Direction::forward, 5 * cell, 6 * cell));
    operation.input_gradient.push_back(cells(Direction::input_gradient, 7 * cell, 5 * cell));
    operation.parameters += 8 * as_double(h_);
    operation.device_parameters = operation.parameters;
    operation.saved = 6 * cell;
    return operation;
  }

  Operation residual() const {
    const double y = bytes(h_);
    Operation operation;
    operation.forward = {stream(Kernel::elementwise, Direction::forward, 2 * y, y)};
    operation.input_gradient = {stream(Kernel::elementwise, Direction::input_gradient, 2 * y, y)};
    return operation;
  }

  /// Keys of all source and queries of all target tokens, additive scores, weighted sum.
  Operation attention() const {
    Operation operation = linear(tokens(), h_, h_, 1);
    append(operation, linear(tokens(), h_, h_, 1));
    append(operation, scores());
    operation.forward.push_back(sum(Direction::forward, {sentences_, steps_, h_, steps_}));
    operation.input_gradient.push_back(
        sum(Direction::input_gradient, {sentences_, steps_, steps_, h_}));
    operation.parameters += as_double(h_);
    operation.device_parameters = operation.parameters;
    operation.saved = bytes(steps_) + bytes(h_) * as_double(steps_) + 3 * bytes(h_);
    return operation;
  }

  Operation classifier() const {
    Operation operation = linear(tokens(), h_, vocabulary_, 1);
    const double narrow = bytes(vocabulary_), wide = narrow / element_ * 4;
    operation.forward.push_back(stream(Kernel::cross_entropy, Direction::forward, narrow, wide));
    std::vector<Work> backward{stream(Kernel::cross_entropy, Direction::input_gradient,
                                      smoothed_ ? 2 * wide : wide, narrow)};
    if (smoothed_) {
      const auto pass = [&](Direction direction, double read, double written) {
        return stream(Kernel::elementwise, direction, read, written);
      };
      operation.forward.push_back(pass(Direction::forward, wide, 0));
      backward.insert(backward.begin(), {pass(Direction::input_gradient, 0, wide),
                                         pass(Direction::input_gradient, 0, wide),
                                         pass(Direction::input_gradient, 2 * wide, wide)});
    }
    operation.input_gradient.insert(operation.input_gradient.begin(), backward.begin(),
                                    backward.end());
    operation.parameters += as_double(vocabulary_);
    operation.device_parameters = operation.parameters;
    operation.saved = wide;
    return operation;
  }

 private:
  int64_t tokens() const { return sentences_ * steps_; }

  static void append(Operation& to, const Operation& more) {
    const auto join = [](std::vector<Work>& a, const std::vector<Work>& b) {
      a.insert(a.end(), b.begin(), b.end());
    };
    join(to.forward, more.forward);
    join(to.input_gradient, more.input_gradient);
    join(to.weight_gradient, more.weight_gradient);
    to.parameters += more.parameters;
    to.model_flops += more.model_flops;
  }

  Work product(Direction direction, std::array<int64_t, 4> shape, double read,
               double written) const {
    double flops = 2;
    for (const int64_t size : shape) flops *= as_double(size);
    return {.kernel = Kernel::gemm,
            .dtype = dtype_,
            .direction = direction,
            .flops = flops,
            .read = whole_bytes(read),
            .written = whole_bytes(written),
            .shape = shape};
  }

  /// The cells' arithmetic: a kernel a token, one after the other.
  Work cells(Direction direction, double read, double written) const {
    Work work = stream(Kernel::elementwise, direction, read, written);
    work.shape = {steps_};
    work.in_turn = true;
    return work;
  }

  /// Every query with every key, by one kernel an operator.
  Operation scores() const {
    const double all = bytes(h_) * as_double(steps_), weights = bytes(steps_), keys = bytes(h_);
    Operation operation;
    const auto pass = [&](Direction direction, double read, double written) {
      (direction == Direction::forward ? operation.forward : operation.input_gradient)
          .push_back(stream(Kernel::elementwise, direction, read, written));
    };
    pass(Direction::forward, 2 * keys, all);                // query + key
    pass(Direction::forward, all, all);                     // + bias
    pass(Direction::forward, all, all);                     // tanh
    pass(Direction::forward, all, weights);                 // its product with a vector
    pass(Direction::forward, weights, weights);             // softmax
    pass(Direction::input_gradient, 2 * weights, weights);  // of the softmax
    pass(Direction::input_gradient, all + weights, all);    // of the product, and of its vector
    pass(Direction::input_gradient, 2 * all, all);          // of tanh
    for (int sums = 0; sums < 3; ++sums)                    // of bias, key and query
      pass(Direction::input_gradient, all, keys);
    return operation;
  }

  /// A batched product whose operands are all activations.
  Work sum(Direction direction, std::array<int64_t, 4> shape) const {
    const auto [batch, m, n, k] = shape;
    const double size = element_ * as_double(batch);
    return product(direction, shape, size * as_double(k) * as_double(m + n),
                   size * as_double(m) * as_double(n));
  }

  Work stream(Kernel kernel, Direction direction, double read, double written) const {
    return {.kernel = kernel,
            .dtype = dtype_,
            .direction = direction,
            .read = whole_bytes(read),
            .written = whole_bytes(written)};
  }

  /// [rows, in] [in, out] without a bias, `times` one after the other; the weight gradient for all
  /// of them at once.
  Operation linear(int64_t rows, int64_t in, int64_t out, int64_t times) const {
    const double x = element_ * as_double(rows) * as_double(in);
    const double y = element_ * as_double(rows) * as_double(out);
    const double numbers = as_double(in) * as_double(out), all = as_double(times);
    const double w = element_ * numbers, gradient = gradient_ * numbers;
    const auto in_turn = [&](Direction direction, int64_t n, int64_t k, double from, double to) {
      Work work = with_weights(product(direction, {times, rows, n, k}, all * (from + w), all * to),
                               all * w);
      work.in_turn = times > 1;
      return work;
    };
    Operation operation;
    operation.forward = {in_turn(Direction::forward, out, in, x, y)};
    operation.input_gradient = {in_turn(Direction::input_gradient, in, out, y, x)};
    operation.weight_gradient = {product(Direction::weight_gradient, {1, out, in, rows * times},
                                         all * (x + y) + gradient, gradient)};
    operation.parameters = operation.device_parameters = numbers;
    operation.model_flops = operation.forward.front().flops;
    return operation;
  }

  int64_t h_, vocabulary_, sentences_, steps_;
  bool smoothed_;  ///< labels, as a translator's are
  DType dtype_;
  double element_, gradient_;
};

/// Layers in model order.
class Stack {
 public:
  explicit Stack(const Recompute& recompute) : recompute_(recompute) {}

  void add(std::string name, double output, const Operations& operations,
           LayerKind kind = LayerKind::block) {
    layers.push_back(assemble({.name = std::move(name), .kind = kind, .output = output}, operations,
                              recompute_));
  }

  std::vector<Layer> layers;

 private:
  const Recompute& recompute_;
};

void add_language_model(const RecurrentShape& shape, const Translator& t, Stack& stack) {
  const int64_t h = shape.hidden;
  stack.add("embedding", t.bytes(h), {t.embedding()}, LayerKind::embedding);
  for (int64_t i = 0; i < shape.layers; ++i)
    stack.add(fmt::format("lstm {}", i), t.bytes(h), {t.lstm(h)});
}

void add_encoder(const RecurrentShape& shape, const Translator& t, Stack& stack) {
  const int64_t h = shape.hidden;
  stack.add("source embedding", t.bytes(h), {t.embedding()}, LayerKind::embedding);
  int64_t width = h;
  for (int64_t i = 0; i < shape.encoder; ++i) {
    const bool both_ways = i < shape.bidirectional;
    Operations operations{t.lstm(width)};
    if (both_ways) operations.push_back(t.lstm(width));
    if (i >= 2) operations.push_back(t.residual());
    width = both_ways ? 2 * h : h;
    stack.add(fmt::format("encoder {}", i), t.bytes(width), operations);
  }
}

void add_decoder(const RecurrentShape& shape, const Translator& t, Stack& stack) {
  const int64_t h = shape.hidden;
  const double encoded = t.bytes(h), context = t.bytes(h);
  stack.add("target embedding", t.bytes(h) + encoded, {t.embedding()});
  for (int64_t i = 0; i < shape.decoder; ++i) {
    Operations operations{t.lstm(i == 0 ? h : 2 * h)};
    if (i == 0) operations.push_back(t.attention());
    if (i >= 2) operations.push_back(t.residual());
    const bool last = i + 1 == shape.decoder;
    stack.add(fmt::format("decoder {}", i), t.bytes(h) + (last ? 0 : context), operations);
  }
}

}  // namespace

RecurrentShape read_recurrent(const config::Value& value) {
  const config::Fields fields(
      value, "recurrent",
      {"hidden", "layers", "encoder", "decoder", "vocabulary", "bidirectional"});
  const auto need = [&](std::string_view key, int64_t most) {
    return config::as_int(fields.at(key), 1, most);
  };
  RecurrentShape shape{.hidden = need("hidden", 1 << 20),
                       .vocabulary = need("vocabulary", 1 << 24)};
  if (const config::Value* layers = fields.find("layers")) {
    for (const char* key : {"encoder", "decoder", "bidirectional"})
      if (const config::Value* other = fields.find(key))
        other->fail(fmt::format("a model with 'layers' has no '{}'", key));
    shape.layers = config::as_int(*layers, 1, 10'000);
    shape.bidirectional = 0;
    return shape;
  }
  shape.encoder = need("encoder", 10'000);
  shape.decoder = need("decoder", 10'000);
  shape.bidirectional = fields.integer("bidirectional", 1, 0, shape.encoder);
  return shape;
}

std::vector<Layer> recurrent_layers(const RecurrentShape& shape, const WorkloadOptions& options,
                                    const config::Value& where) {
  if (options.tensor > 1 || options.context > 1 || options.expert > 1) {
    where.misfit(
        "a recurrent model's layers cannot be split: tensor, context and expert must be 1");
  }
  const Translator t(shape, options);
  Stack stack(options.recompute);
  if (shape.layers > 0) {
    add_language_model(shape, t, stack);
  } else {
    add_encoder(shape, t, stack);
    add_decoder(shape, t, stack);
  }
  stack.add("classifier", 0, {t.classifier()}, LayerKind::head);
  return std::move(stack.layers);
}

}  // namespace pipewright
