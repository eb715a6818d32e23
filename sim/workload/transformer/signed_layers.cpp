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

#include "workload/transformer/boxes.hpp"
#include "workload/transformer/core.hpp"
#include "workload/transformer/signed_cuts.hpp"
#include "workload/transformer/signed_places.hpp"

namespace pipewright::transformer {
namespace {

void refuse(bool has, std::string_view what, const config::Value& where) {
  if (has) where.misfit(fmt::format("sbp cannot be had with {}", what));
}

void refuse_others(const TransformerShape& shape, const config::Value& where) {
  refuse(shape.experts.has_value(), "experts", where);
  refuse(shape.attention.latent.has_value(), "latent attention", where);
  refuse(shape.decoder.layers > 0, "an encoder beside a decoder", where);
  refuse(shape.form == BlockForm::parallel, "parallel blocks", where);
  refuse(shape.ends.classes > 0, "a head of classes", where);
  refuse(!shape.rare_part().empty(), shape.rare_part(), where);
}

class SignedLayers {
 public:
  SignedLayers(const TransformerShape& shape, const WorkloadOptions& options,
               const config::Value& where)
      : shape_(shape),
        options_(options),
        grid_(options.tensor_grid),
        places_(shape, options, where),
        boxes_(options.tensor_grid,
               all_tokens(options) * element_bytes(activation_dtype(options.precision))),
        cuts_(read_cuts(options.signatures)) {}

  std::vector<Layer> layers(int64_t positions) {
    std::vector<Layer> layers{first(positions)};
    for (int64_t block = 0; block < shape_.layers; ++block) layers.push_back(make_block(block));
    layers.push_back(last());
    return layers;
  }

 private:
  const Share& at(const Spreads& spreads, Axis tensor_axis = Axis::tensor) {
    return places_.at(spreads, tensor_axis);
  }
  Operation enter(const Signatures& product, Part part) const {
    return boxes_.into(product, cuts_.stream, shape_.hidden, part);
  }
  Operation leave(const Signatures& product, Part part) const {
    return boxes_.out_of(product, cuts_.stream, shape_.hidden, part);
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
    const bool follows_norm = cuts_.follows_norm(product);
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
    Operation operation = norm(at(cuts_.stream), true);
    operation.summed_over = over_samples_of_stream();
    return operation;
  }
  std::optional<Axis> over_samples_of_stream() const {
    Signatures signatures;
    for (size_t side = 0; side < grid_sides; ++side)
      signatures[side] =
          cuts_.stream[side] == Spread::batch ? Signature::batch : Signature::replicate;
    return summed_over(grid_, signatures);
  }

  Operations attention_part(int64_t block) {
    const Spreads heads = on_sides(cuts_.qkv->signatures, output_of);
    const int64_t context = shape_.attention.heads * shape_.attention.head_dim;
    Operation queries = multiply(
        *cuts_.qkv, shape_.hidden,
        (shape_.attention.heads + 2 * shape_.attention.kv_heads) * shape_.attention.head_dim,
        Part::other);
    Operation output = multiply(*cuts_.out, context, shape_.hidden, Part::other);
    for (const Work& work : queries.forward)
      if (work.kernel == Kernel::gemm) queries.saved = static_cast<double>(work.written.count);
    const Share& share = at(heads);
    output.saved = share.bytes(share.heads() * shape_.attention.head_dim);
    Operations operations{normed(), enter(cuts_.qkv->signatures, Part::other), queries};
    append(operations, between_projections(share, block));
    append(operations,
           {boxes_.into(cuts_.out->signatures, heads, context, Part::other), output,
            leave(cuts_.out->signatures, Part::other), residual(at(cuts_.stream), true)});
    return operations;
  }

  Operations mlp_part() {
    const Spreads inner = on_sides(cuts_.up->signatures, output_of);
    const int64_t ffn = shape_.ffn, made = shape_.gated ? 2 * ffn : ffn;
    const Share& share = at(inner);
    return {
        normed(),
        enter(cuts_.up->signatures, Part::mlp),
        multiply(*cuts_.up, shape_.hidden, made, Part::mlp),
        activation(share, Part::mlp, static_cast<double>(share.tokens), ffn / share.options.tensor),
        boxes_.into(cuts_.down->signatures, inner, ffn, Part::mlp),
        multiply(*cuts_.down, ffn, shape_.hidden, Part::mlp),
        leave(cuts_.down->signatures, Part::mlp),
        residual(at(cuts_.stream), false)};
  }

  Layer make_block(int64_t block) {
    Operations operations = attention_part(block);
    append(operations, mlp_part());
    const double stream = at(cuts_.stream).bytes(shape_.hidden);
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
    for (size_t side = 0; side < grid_sides; ++side)
      cut[side] = cuts_.table[side] == Signature::column;
    return at(on_sides(cuts_.table, output_of), axis_of(grid_, cut));
  }
  void sum_table(Layer& layer) const {
    if (const std::optional<Axis> axis = pipewright::summed_over(grid_, cuts_.table))
      layer.summed = {{*axis, layer.device_parameters}};
  }

  Layer first(int64_t positions) {
    Spreads looked_up = on_sides(cuts_.table, output_of);
    for (Spread& spread : looked_up)
      if (spread == Spread::features) spread = Spread::partial;  // each row is on one device
    Spreads needed = looked_up;
    for (Spread& spread : needed)
      if (spread == Spread::partial) spread = Spread::whole;
    Operation leave =
        boxes_.boxed({looked_up, cuts_.stream, cuts_.stream, needed}, shape_.hidden, Part::other);
    leave.saved = 0;  // it goes into dropout
    Layer layer = embedding(table_share(), at(cuts_.stream), leave, positions);
    sum_table(layer);
    return layer;
  }

  Layer last() {
    Operation between = enter(cuts_.table, Part::other);
    if (shape_.encoder) {  // the masked tokens only, as ends.cpp has them
      for (Segments* steps : {&between.forward_steps, &between.input_gradient_steps})
        for (Segment& step : *steps)
          step.collective->bytes.count = step.collective->bytes.count * 15 / 100;
      between.saved *= 0.15;
    }
    Layer layer = head(table_share(), at(cuts_.stream), between);
    sum_table(layer);
    return layer;
  }

  const TransformerShape& shape_;
  const WorkloadOptions& options_;
  const TensorGrid& grid_;
  SignedPlaces places_;
  Boxes boxes_;
  SignedCuts cuts_;
};

}  // namespace

std::vector<Layer> signed_layers(const TransformerShape& shape, const WorkloadOptions& options,
                                 int64_t positions, const config::Value& where) {
  refuse_others(shape, where);
  return SignedLayers(shape, options, where).layers(positions);
}

}  // namespace pipewright::transformer
