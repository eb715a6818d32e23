// Blocks of a transformer by SBP signatures (AutoDDL, arXiv 2301.06813).
//
// Each of a block's four products is cut as its signature says, on every side of the grid. The
// residual stream lies by batch on the sides where either product that takes it (queries, keys and
// values; the MLP's first) is cut by batch, and whole on the others; norms, sums and dropout run as
// it lies. Attention runs as its queries lie, the activation as the product before left it. Between
// them a tensor is boxed there and its gradient back (workload/signatures.cpp). The tables of
// embedding and head are cut by vocabulary or by batch; unless said, by batch where the stream is.
//
// With column, row, column, row on a side this is Megatron-LM's tensor parallelism, with batch
// everywhere data parallelism, with batch beside column and row its sequence parallelism's
// collectives over samples instead of tokens.
// Left out: biases of products cut by rows are counted on each of their devices.
#include "workload/transformer/signed_layers.hpp"

#include <fmt/format.h>

#include <map>
#include <memory>

#include "base/required.hpp"
#include "workload/signatures.hpp"
#include "workload/transformer/core.hpp"

namespace pipewright::transformer {
namespace {

void refuse(bool has, std::string_view what, const config::Value& where) {
  if (has) where.misfit(fmt::format("sbp cannot be had with {}", what));
}

double all_tokens(const WorkloadOptions& options) {
  return static_cast<double>(options.micro_batch) * static_cast<double>(options.sequence);
}

/// The shares of a device by where a tensor lies; each is made once.
class Places {
 public:
  Places(const TransformerShape& shape, const WorkloadOptions& options, const config::Value& where)
      : shape_(shape), options_(options), where_(where) {}

  const Share& at(const Spreads& spreads, Axis tensor_axis = Axis::tensor) {
    const int64_t samples = parts(options_.tensor_grid, spreads, Spread::batch);
    const int64_t features = parts(options_.tensor_grid, spreads, Spread::features);
    auto& place = places_[{samples, features, tensor_axis}];
    if (place) return required(place->share, "a place is made with its share");
    place = std::make_unique<Place>(Place{.options = options_, .share = {}});
    if (options_.micro_batch % samples != 0)
      where_.misfit(fmt::format("sbp cuts batch.micro {} in {}: it must be a multiple",
                                options_.micro_batch, samples));
    place->options.micro_batch /= samples;
    place->options.tensor = features;
    place->options.tensor_grid = {};
    place->options.sequence_parallel = false;
    Share& share = place->share.emplace(make_share(shape_, place->options, where_));
    share.all_tokens = all_tokens(options_);
    share.tensor_axis = tensor_axis;
    return share;
  }

 private:
  /// A Share refers to its options.
  struct Place {
    WorkloadOptions options;
    std::optional<Share> share;
  };

  const TransformerShape& shape_;
  const WorkloadOptions& options_;
  const config::Value& where_;
  std::map<std::tuple<int64_t, int64_t, Axis>, std::unique_ptr<Place>> places_;
};

/// Brings tensors from where they are made to where they are used, and their gradients back.
class Boxes {
 public:
  explicit Boxes(const WorkloadOptions& options) : options_(options) {}

  /// A tensor that is `width` wide and its gradient.
  struct Way {
    Spreads made, used, gradient_made, gradient_used;
  };
  Operation boxed(const Way& way, int64_t width, Part part) const {
    const TensorGrid& grid = options_.tensor_grid;
    Operation operation{.part = part};
    operation.forward_steps = boxing(grid, way.made, way.used, bytes(width));
    operation.input_gradient_steps =
        boxing(grid, way.gradient_made, way.gradient_used, bytes(width));
    if (!operation.forward_steps.empty())
      operation.saved = bytes(width) / static_cast<double>(parts(grid, way.used, Spread::batch) *
                                                           parts(grid, way.used, Spread::features));
    return operation;
  }
  /// From where it lies `from` to the input of a product.
  Operation into(const Signatures& product, const Spreads& from, int64_t width, Part part) const {
    return boxed({from, on_sides(product, input_of), on_sides(product, input_gradient_of), from},
                 width, part);
  }
  /// What a product makes goes into a sum that lies `to`, and need not be kept.
  Operation out_of(const Signatures& product, const Spreads& to, int64_t width, Part part) const {
    Operation operation = boxed(
        {on_sides(product, output_of), to, to, on_sides(product, output_gradient_of)}, width, part);
    operation.saved = 0;
    return operation;
  }

 private:
  /// Returns the bytes of a tensor that is `width` wide, on all devices together.
  double bytes(int64_t width) const {
    return all_tokens(options_) * static_cast<double>(width) *
           element_bytes(activation_dtype(options_.precision));
  }

  const WorkloadOptions& options_;
};

class SignedLayers {
 public:
  SignedLayers(const TransformerShape& shape, const WorkloadOptions& options,
               const config::Value& where)
      : shape_(shape),
        options_(options),
        grid_(options.tensor_grid),
        places_(shape, options, where),
        boxes_(options) {
    refuse(shape.experts.has_value(), "experts", where);
    refuse(shape.attention.latent.has_value(), "latent attention", where);
    refuse(shape.decoder.layers > 0, "an encoder beside a decoder", where);
    refuse(shape.form == BlockForm::parallel, "parallel blocks", where);
    refuse(shape.ends.classes > 0, "a head of classes", where);
    refuse(!shape.rare_part().empty(), shape.rare_part(), where);
    qkv_ = named("qkv"), out_ = named("out"), up_ = named("up"), down_ = named("down");
    for (size_t side = 0; side < grid_sides; ++side) {
      const bool by_batch =
          qkv_->signatures[side] == Signature::batch || up_->signatures[side] == Signature::batch;
      stream_[side] = by_batch ? Spread::batch : Spread::whole;
      table_[side] = by_batch ? Signature::batch : Signature::column;
    }
    if (const GridSignatures::Product* head = find("head")) table_ = head->signatures;
    for (const GridSignatures::Product& product : options.signatures.products) check(product);
  }

  std::vector<Layer> layers(int64_t positions) {
    std::vector<Layer> layers{first(positions)};
    for (int64_t block = 0; block < shape_.layers; ++block) layers.push_back(make_block(block));
    layers.push_back(last());
    return layers;
  }

 private:
  const GridSignatures::Product* find(std::string_view name) const {
    for (const GridSignatures::Product& product : options_.signatures.products)
      if (product.name == name) return &product;
    return nullptr;
  }
  const GridSignatures::Product* named(std::string_view name) const {
    const GridSignatures::Product* product = find(name);
    if (!product)
      options_.signatures.given.fail(
          "a transformer's layers are a map: {qkv: ..., out: ..., up: ..., down: ...}");
    return product;
  }

  /// Refuses `row` for a product that takes the normed stream, which needs whole rows; a table is
  /// cut by its rows only.
  void check(const GridSignatures::Product& product) const {
    for (size_t side = 0; side < grid_sides; ++side) {
      const bool by_rows = product.signatures[side] == Signature::row;
      if (by_rows && (&product == qkv_ || &product == up_ || product.name == "head"))
        product.given.misfit(
            fmt::format("{} follows a norm, which needs all features: batch, column or replicate",
                        product.name));
    }
  }

  const Share& at(const Spreads& spreads, Axis tensor_axis = Axis::tensor) {
    return places_.at(spreads, tensor_axis);
  }
  Operation enter(const Signatures& product, Part part) const {
    return boxes_.into(product, stream_, shape_.hidden, part);
  }
  Operation leave(const Signatures& product, Part part) const {
    return boxes_.out_of(product, stream_, shape_.hidden, part);
  }

  int64_t part_of(int64_t size, const GridSignatures::Product& product, Signature cut) const {
    int64_t count = 1;
    for (size_t side = 0; side < grid_sides; ++side)
      if (product.signatures[side] == cut) count *= grid_.sides[side];
    if (size % count != 0)
      product.given.misfit(fmt::format("{} is {} wide and cut in {}: it must be a multiple",
                                       product.name, size, count));
    return size / count;
  }

  Operation multiply(const GridSignatures::Product& product, int64_t in, int64_t out, Part part) {
    Spreads samples = on_sides(product.signatures, input_of);
    for (Spread& spread : samples)
      if (spread == Spread::features) spread = Spread::whole;
    const Share& share = at(samples);
    const bool follows_norm = &product == qkv_ || &product == up_;
    Operation operation = linear(share, {.in = part_of(in, product, Signature::row),
                                         .out = part_of(out, product, Signature::column),
                                         .split = follows_norm ? Split::column : Split::row,
                                         .part = part,
                                         .tokens = share.tokens});
    const double weights = static_cast<double>(in) * static_cast<double>(out);
    operation.parameters = weights + (shape_.bias ? static_cast<double>(out) : 0);
    operation.model_flops = 2 * all_tokens(options_) * weights;
    operation.summed_over = summed_over(grid_, product.signatures);
    return operation;
  }

  Operation normed() {
    Operation operation = norm(at(stream_), true);
    operation.summed_over = over_samples_of_stream();
    return operation;
  }
  std::optional<Axis> over_samples_of_stream() const {
    Signatures signatures;
    for (size_t side = 0; side < grid_sides; ++side)
      signatures[side] = stream_[side] == Spread::batch ? Signature::batch : Signature::replicate;
    return summed_over(grid_, signatures);
  }

  Operations attention_part(int64_t block) {
    const Spreads heads = on_sides(qkv_->signatures, output_of);
    const int64_t context = shape_.attention.heads * shape_.attention.head_dim;
    Operation queries = multiply(
        *qkv_, shape_.hidden,
        (shape_.attention.heads + 2 * shape_.attention.kv_heads) * shape_.attention.head_dim,
        Part::other);
    Operation output = multiply(*out_, context, shape_.hidden, Part::other);
    for (const Work& work : queries.forward)
      if (work.kernel == Kernel::gemm) queries.saved = static_cast<double>(work.written.count);
    const Share& share = at(heads);
    output.saved = share.bytes(share.heads() * shape_.attention.head_dim);
    Operations operations{normed(), enter(qkv_->signatures, Part::other), queries};
    append(operations, between_projections(share, block));
    append(operations, {boxes_.into(out_->signatures, heads, context, Part::other), output,
                        leave(out_->signatures, Part::other), residual(at(stream_), true)});
    return operations;
  }

  Operations mlp_part() {
    const Spreads inner = on_sides(up_->signatures, output_of);
    const int64_t ffn = shape_.ffn, made = shape_.gated ? 2 * ffn : ffn;
    const Share& share = at(inner);
    return {normed(),
            enter(up_->signatures, Part::mlp),
            multiply(*up_, shape_.hidden, made, Part::mlp),
            activation(share, static_cast<double>(share.tokens), ffn / share.options.tensor),
            boxes_.into(down_->signatures, inner, ffn, Part::mlp),
            multiply(*down_, ffn, shape_.hidden, Part::mlp),
            leave(down_->signatures, Part::mlp),
            residual(at(stream_), false)};
  }

  Layer make_block(int64_t block) {
    Operations operations = attention_part(block);
    append(operations, mlp_part());
    const double stream = at(stream_).bytes(shape_.hidden);
    const Recompute& recompute = options_.recompute;
    const bool runs_again = recompute.blocks < 0 || block < recompute.blocks;
    return assemble({.name = fmt::format("block {}", block),
                     .kind = LayerKind::block,
                     .input = stream,
                     .output = stream,
                     .around = stream},
                    operations, runs_again ? recompute : Recompute{});
  }

  /// The devices of a table's vocabulary are a group of their own.
  const Share& table_share() {
    std::array<bool, grid_sides> cut{};
    for (size_t side = 0; side < grid_sides; ++side) cut[side] = table_[side] == Signature::column;
    return at(on_sides(table_, output_of), axis_of(grid_, cut));
  }
  void sum_table(Layer& layer) const {
    if (const std::optional<Axis> axis = pipewright::summed_over(grid_, table_))
      layer.summed = {{*axis, layer.device_parameters}};
  }

  Layer first(int64_t positions) {
    Spreads looked_up = on_sides(table_, output_of);
    for (Spread& spread : looked_up)
      if (spread == Spread::features) spread = Spread::partial;  // each row is on one device
    Spreads needed = looked_up;
    for (Spread& spread : needed)
      if (spread == Spread::partial) spread = Spread::whole;
    Operation leave =
        boxes_.boxed({looked_up, stream_, stream_, needed}, shape_.hidden, Part::other);
    leave.saved = 0;  // it goes into dropout
    Layer layer = embedding(table_share(), at(stream_), leave, positions);
    sum_table(layer);
    return layer;
  }

  Layer last() {
    Operation between = enter(table_, Part::other);
    if (shape_.encoder) {  // the masked tokens only, as ends.cpp has them
      for (Segments* steps : {&between.forward_steps, &between.input_gradient_steps})
        for (Segment& step : *steps)
          step.collective->bytes.count = step.collective->bytes.count * 15 / 100;
      between.saved *= 0.15;
    }
    Layer layer = head(table_share(), at(stream_), between);
    sum_table(layer);
    return layer;
  }

  const TransformerShape& shape_;
  const WorkloadOptions& options_;
  const TensorGrid& grid_;
  Places places_;
  Boxes boxes_;
  const GridSignatures::Product *qkv_ = nullptr, *out_ = nullptr, *up_ = nullptr, *down_ = nullptr;
  Spreads stream_{};
  Signatures table_{};
};

}  // namespace

std::vector<Layer> signed_layers(const TransformerShape& shape, const WorkloadOptions& options,
                                 int64_t positions, const config::Value& where) {
  return SignedLayers(shape, options, where).layers(positions);
}

}  // namespace pipewright::transformer
