// How tensors and products lie on a grid of devices, and what brings them from one way to another.
#include "workload/signatures.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "transformers.hpp"
#include "workload/cnn/cnn.hpp"

namespace pipewright::test::signatures {
namespace {

using enum Spread;

constexpr TensorGrid grid{TensorKind::signatures, {2, 4, 1}};
constexpr double V = 1 << 20;

struct Sent {
  CollectiveKind kind;
  Axis axis;
  double bytes;
  bool operator==(const Sent&) const = default;
};

std::vector<Sent> sent(const Segments& segments) {
  std::vector<Sent> all;
  for (const Segment& segment : segments)
    if (segment.collective)
      all.push_back({segment.collective->kind, segment.collective->axis,
                     static_cast<double>(segment.collective->bytes.count)});
  return all;
}

std::vector<Sent> boxed(const Spreads& from, const Spreads& to) {
  return sent(boxing(grid, from, to, V));
}

// arXiv 2301.06813: S -> B gathers, P -> B reduces everywhere, P -> S scatters the sum, S(0) ->
// S(1) is an all-to-all of what a device has, and a part of what is whole costs nothing.
TEST(Signatures, one_side_is_boxed_as_published) {
  using enum CollectiveKind;
  const auto on_row = [](Spread spread) { return Spreads{spread, whole, whole}; };
  EXPECT_EQ(boxed(on_row(batch), on_row(whole)),
            (std::vector<Sent>{{all_gather, Axis::tensor_row, V}}));
  EXPECT_EQ(boxed(on_row(partial), on_row(whole)),
            (std::vector<Sent>{{all_reduce, Axis::tensor_row, V}}));
  EXPECT_EQ(boxed(on_row(partial), on_row(batch)),
            (std::vector<Sent>{{reduce_scatter, Axis::tensor_row, V}}));
  EXPECT_EQ(boxed(on_row(batch), on_row(features)),
            (std::vector<Sent>{{all_to_all, Axis::tensor_row, V / 2}}));
  EXPECT_TRUE(boxed(on_row(whole), on_row(features)).empty());
  EXPECT_TRUE(boxed(on_row(batch), on_row(batch)).empty());
}

// What is cut on the other side leaves a quarter to send on this one.
TEST(Signatures, other_sides_cut_what_is_sent) {
  EXPECT_EQ(boxed({partial, batch, whole}, {whole, batch, whole}),
            (std::vector<Sent>{{CollectiveKind::all_reduce, Axis::tensor_row, V / 4}}));
}

// Sums over both sides of eight devices are one all-reduce over all eight.
TEST(Signatures, sides_that_change_alike_are_one_group) {
  EXPECT_EQ(boxed({partial, partial, whole}, {whole, whole, whole}),
            (std::vector<Sent>{{CollectiveKind::all_reduce, Axis::tensor_row_column, V}}));
}

// Scattering the sum on one side first leaves half for the gathering on the other.
TEST(Signatures, what_can_be_cut_first_is) {
  EXPECT_EQ(boxed({partial, batch, whole}, {batch, whole, whole}),
            (std::vector<Sent>{{CollectiveKind::reduce_scatter, Axis::tensor_row, V / 4},
                               {CollectiveKind::all_gather, Axis::tensor_column, V / 2}}));
}

GridSignatures block_of(Signatures qkv, Signatures out, Signatures up, Signatures down) {
  return {{{"qkv", qkv, {}}, {"out", out, {}}, {"up", up, {}}, {"down", down, {}}}, {}};
}

Layer block_on(const TensorGrid& on, const GridSignatures& signatures) {
  WorkloadOptions options{.micro_batch = 16, .sequence = 32};
  options.tensor = on.sides[0] * on.sides[1] * on.sides[2];
  options.tensor_grid = on;
  options.signatures = signatures;
  return layers_of(gpt(1, 64, 8, 512), options)[1];
}

constexpr Signatures all_of(Signature s) { return {s, s, s}; }

// Columns, then rows, twice: Megatron-LM's block, kernel by kernel and byte by byte.
TEST(Signatures, columns_and_rows_are_megatrons_block) {
  const Layer block = block_on({TensorKind::signatures, {4, 1, 1}},
                               block_of(all_of(Signature::column), all_of(Signature::row),
                                        all_of(Signature::column), all_of(Signature::row)));
  WorkloadOptions options{.micro_batch = 16, .sequence = 32, .tensor = 4};
  const Layer line = layers_of(gpt(1, 64, 8, 512), options)[1];
  EXPECT_DOUBLE_EQ(flops(block.forward), flops(line.forward));
  EXPECT_DOUBLE_EQ(flops(block.weight_gradient), flops(line.weight_gradient));
  EXPECT_EQ(kernels(block.forward), kernels(line.forward));
  EXPECT_EQ(kernels(block.input_gradient), kernels(line.input_gradient));
  EXPECT_EQ(block.parameters, line.parameters);
  EXPECT_EQ(block.stash, line.stash);
  EXPECT_TRUE(block.summed.empty());
  for (const auto& [cut, whole] :
       {std::pair(&block.forward, &line.forward), {&block.input_gradient, &line.input_gradient}}) {
    const std::vector<Sent> ours = sent(*cut), theirs = sent(*whole);
    ASSERT_EQ(ours.size(), theirs.size());
    for (size_t i = 0; i < ours.size(); ++i) {
      EXPECT_EQ(ours[i].kind, theirs[i].kind);
      EXPECT_EQ(ours[i].bytes, theirs[i].bytes);
    }
  }
}

// By batch everywhere nothing is sent within a pass, and every weight's gradient is a sum over all.
TEST(Signatures, batch_everywhere_is_data_parallelism) {
  const Layer block = block_on(grid, block_of(all_of(Signature::batch), all_of(Signature::batch),
                                              all_of(Signature::batch), all_of(Signature::batch)));
  EXPECT_TRUE(sent(block.forward).empty());
  EXPECT_TRUE(sent(block.input_gradient).empty());
  double summed = 0;
  for (const SummedParameters& part : block.summed) {
    EXPECT_EQ(part.axis, Axis::tensor_row_column);
    summed += part.parameters;
  }
  EXPECT_EQ(summed, block.device_parameters);
  EXPECT_EQ(block.device_parameters, block.parameters);
}

// Attention by batch, the MLP by columns and rows: its input is gathered and its output scattered,
// forward; backward the gradient of what was gathered is a sum to scatter, of what was scattered to
// gather. 16 x 32 tokens of 64 numbers of 2 bytes.
TEST(Signatures, layers_need_not_be_alike) {
  using enum CollectiveKind;
  const Layer block = block_on({TensorKind::signatures, {4, 1, 1}},
                               block_of(all_of(Signature::batch), all_of(Signature::batch),
                                        all_of(Signature::column), all_of(Signature::row)));
  const double stream = 16 * 32 * 64 * 2;
  const std::vector<Sent> both{{all_gather, Axis::tensor_row, stream},
                               {reduce_scatter, Axis::tensor_row, stream}};
  EXPECT_EQ(sent(block.forward), both);
  EXPECT_EQ(sent(block.input_gradient), both);
}

TEST(Signatures, what_follows_a_norm_is_not_cut_by_rows) {
  const auto wrong = [] {
    block_on(grid, block_of(all_of(Signature::row), all_of(Signature::row),
                            all_of(Signature::column), all_of(Signature::row)));
  };
  EXPECT_NE(error_of(wrong).find("qkv follows a norm"), std::string::npos);
}

TEST(Signatures, sides_must_divide_what_they_cut) {
  WorkloadOptions options{.micro_batch = 3, .sequence = 32, .tensor = 8};
  options.tensor_grid = grid;
  options.signatures = block_of(all_of(Signature::batch), all_of(Signature::batch),
                                all_of(Signature::batch), all_of(Signature::batch));
  EXPECT_NE(error_of([&] {
              layers_of(gpt(1, 64, 8, 512), options);
            }).find("cuts batch.micro 3 in 8: it must be a multiple"),
            std::string::npos);
}

constexpr const char* net =
    "{input: [4, 8, 8], layers: [conv 8 3x3, max-pool 2x2 /2, conv 16 3x3, dense 32]}";

std::vector<Layer> net_on(const TensorGrid& on, const std::vector<Signatures>& all) {
  WorkloadOptions options{.micro_batch = 16, .tensor = 1};
  options.precision = options.gradients = DType::fp32;
  options.tensor = on.sides[0] * on.sides[1] * on.sides[2];
  options.tensor_grid = on;
  for (const Signatures& one : all) options.signatures.products.push_back({"", one, {}});
  return cnn_layers(read_cnn(config::parse(net, "m.yaml")), options, {});
}

// Every device does a quarter of each product, whichever way it is cut; the weights stay 100 %.
TEST(Signatures, convolutions_are_shared_evenly) {
  WorkloadOptions one{.micro_batch = 16};
  one.precision = one.gradients = DType::fp32;
  const std::vector<Layer> whole_net = cnn_layers(read_cnn(config::parse(net, "m.yaml")), one, {});
  for (const Signature s : {Signature::batch, Signature::column, Signature::row}) {
    const std::vector<Layer> layers =
        net_on({TensorKind::signatures, {4, 1, 1}}, std::vector(3, all_of(s)));
    EXPECT_DOUBLE_EQ(flops(layers, &Layer::forward), flops(whole_net, &Layer::forward) / 4);
    EXPECT_DOUBLE_EQ(flops(layers, &Layer::input_gradient),
                     flops(whole_net, &Layer::input_gradient) / 4);
    EXPECT_DOUBLE_EQ(flops(layers, &Layer::weight_gradient),
                     flops(whole_net, &Layer::weight_gradient) / 4);
    EXPECT_DOUBLE_EQ(parameters(layers), parameters(whole_net));
    EXPECT_DOUBLE_EQ(model_flops(layers), model_flops(whole_net));
  }
}

// Krizhevsky's one weird trick (arXiv 1404.5997): convolutions by batch, the dense layer by
// columns. Its input, 16 samples of 16 x 4 x 4 numbers, is gathered; backward the sum of its
// gradients is scattered. The dense layer's weights are cut in four and not summed; for the loss
// its 32 outputs are gathered, and nothing backward.
TEST(Signatures, one_weird_trick) {
  using enum CollectiveKind;
  const std::vector<Layer> layers =
      net_on({TensorKind::signatures, {4, 1, 1}},
             {all_of(Signature::batch), all_of(Signature::batch), all_of(Signature::column)});
  const Layer& dense = layers.back();
  const double in = 4.0 * 16 * 16 * 4 * 4, out = 4.0 * 16 * 32;
  EXPECT_EQ(sent(dense.forward), (std::vector<Sent>{{all_gather, Axis::tensor_row, in},
                                                    {all_gather, Axis::tensor_row, out}}));
  EXPECT_EQ(sent(dense.input_gradient),
            (std::vector<Sent>{{reduce_scatter, Axis::tensor_row, in}}));
  EXPECT_TRUE(dense.summed.empty());
  EXPECT_EQ(dense.device_parameters, (16 * 4 * 4 * 32 + 32) / 4);
  EXPECT_EQ(layers.front().summed.size(), 1U);
}

// Nothing before it wants a gradient, and nothing after it has one to hand on.
TEST(Signatures, a_network_of_one_product_sums_its_rows) {
  WorkloadOptions options{.micro_batch = 4, .tensor = 4};
  options.tensor_grid = {TensorKind::signatures, {4, 1, 1}};
  options.signatures.products.push_back({"", all_of(Signature::row), {}});
  const std::vector<Layer> layers = cnn_layers(
      read_cnn(config::parse("{input: [8, 1, 1], layers: [dense 32]}", "m.yaml")), options, {});
  EXPECT_DOUBLE_EQ(flops(layers, &Layer::forward), 2.0 * 4 * 8 * 32 / 4);
  EXPECT_EQ(flops(layers, &Layer::input_gradient), 0);
}

TEST(Signatures, a_network_that_is_no_chain_is_refused) {
  WorkloadOptions options{.micro_batch = 4, .tensor = 2};
  options.tensor_grid = {TensorKind::signatures, {2, 1, 1}};
  const auto wrong = [&] {
    cnn_layers(
        read_cnn(config::parse("{input: [4, 8, 8], layers: [{residual: [conv 4 3x3]}]}", "m.yaml")),
        options, {});
  };
  EXPECT_NE(error_of(wrong).find("chains of convolutions"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test::signatures
