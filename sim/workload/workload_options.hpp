// Options of how a model is run: what turns its layers into the work of one device on one
// micro-batch.
#pragma once

#include <bitset>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "config/value.hpp"
#include "workload/signatures.hpp"
#include "workload/tensor_grid.hpp"
#include "workload/work.hpp"

namespace pipewright {

enum class AttentionKernel : uint8_t {
  flash,    ///< fused: the scores never reach device memory
  unfused,  ///< scores, softmax and dropout as kernels of their own, as in 2021-22
};

/// The method by which queries on one device meet the keys and values on the others of its context
/// group.
enum class ContextExchange : uint8_t {
  ring,        ///< keys and values go round, block by block, beside attention (arXiv 2310.01889)
  ulysses,     ///< all-to-all from tokens to heads and back (arXiv 2309.14509)
  all_gather,  ///< of keys and values before attention (Llama 3, arXiv 2407.21783)
};

/// A part of a block that recomputation can name.
enum class Part : uint8_t {
  other,
  attention,          ///< the core: scores, softmax, dropout, weighted sum
  latent,             ///< products from low ranks to heads, and the rotation, of latent attention
  norm,               ///< of the residual stream, before attention and before what follows it
  inner_norm,         ///< every other norm
  mlp,                ///< a dense one, from its normalised input on
  experts,            ///< router, exchanges and products of routed experts
  expert_activation,  ///< between the products of routed experts
  shared_experts,
};
using Parts = std::bitset<9>;
Parts parts_of(std::initializer_list<Part> parts);

/// The operations that are run again before the backward pass instead of being kept.
struct Recompute {
  bool block = false;  ///< everything but the input of a block
  Parts parts{};       ///< these alone
  /// The number of blocks that are run again, the first of every stage; negative: all.
  int64_t blocks = -1;
  /// The first block of every stage, ascending; what `blocks` counts from.
  std::vector<int64_t> stage_starts{0};
  /// Every so many-th matrix product, and all that is neither a product nor attention; 0: no such.
  int64_t products = 0;

  bool any() const { return block || parts.any() || products > 0; }
  bool runs(Part part) const { return block || parts.test(static_cast<size_t>(part)); }
};

/// How the head works on logits; ends.cpp.
enum class LossKernel : uint8_t {
  fp32,     ///< on an fp32 copy, fused by a compiler
  fused,    ///< in place
  steps,    ///< on an fp32 copy, a pass an operator
  chunked,  ///< in place, some tokens after the other, gradients included
  torch,    ///< on an fp32 copy, PyTorch's log_softmax and nll_loss
};

struct LossOptions {
  LossKernel kernel = LossKernel::fp32;
  int64_t chunks = 0;  ///< of `chunked`; 0: as Liger counts them
};

/// Whose operators run between products; eager.cpp.
enum class Operators : uint8_t {
  fused,     ///< one kernel for a norm, an activation or a rotation
  eager,     ///< plain PyTorch's, a kernel each
  nanotron,  ///< nanotron's: Triton's norms, FlashAttention's rotation, plain PyTorch's for the
             ///< rest
};

/// The method by which numbers are scaled before they are cast to fp8.
enum class Scaling : uint8_t {
  delayed,     ///< a tensor by what earlier ones of its kind had as their largest number
  tensorwise,  ///< a tensor by its own
  blockwise,   ///< 128 numbers by theirs
  mxfp8,       ///< 32 numbers by theirs, to a power of 2
};

/// How the tokens of a sequence, or the rows of an image, are shared out in a context group.
struct ContextSplit {
  ContextExchange exchange = ContextExchange::ring;
  bool zigzag = true;  ///< a device has the k-th piece of a sequence from both ends, else one piece
  int64_t heads = 1;   ///< neighbours that exchange heads within rings
  int64_t strips = 1;  ///< of images, one for each device of the group
};

/// What fp8 is used for, and how.
struct Fp8Options {
  Scaling scaling = Scaling::delayed;
  bool dispatch = false;  ///< tokens go to experts as fp8, whatever the precision
};

/// The softmax of unfused attention, which scales and masks too.
enum class ScoreSoftmax : uint8_t {
  fused,     ///< one kernel, whatever the scores
  megatron,  ///< Megatron-LM's, which takes score matrices by fours; unfused.cpp
};

/// What the router's weights multiply.
enum class RoutedWeights : uint8_t {
  activations,  ///< what is between the products of experts, inside the activation's kernel
  results,      ///< what experts give back, which is kept for the weights' gradient
};

/// The kernels that a framework has.
struct KernelOptions {
  AttentionKernel attention = AttentionKernel::flash;
  LossOptions loss;
  Operators operators = Operators::fused;
  ScoreSoftmax softmax = ScoreSoftmax::fused;
  RoutedWeights routed = RoutedWeights::activations;
  bool complex_rotation = false;  ///< torchtitan's; else Hugging Face's; eager.cpp
  /// Tensors have sequences before tokens, and what tensor ranks gather or scatter by tokens is
  /// copied; layouts.hpp.
  bool sequences_first = false;
  /// Blocks are one loop, which collects in stacks what each keeps; layouts.hpp.
  bool stacks_kept = false;
};

/// The number format in which the weights of products wait between steps.
enum class StoredWeights : uint8_t {
  as_computed,
  fp8,   ///< as products read them
  int8,  ///< made what products read before each of them, as are ...
  nf4,   ///< ... 4 bits with a scale for every 64
};

/// Bytes of a weight in it, with its part of the scales; those of fp8 and int8 are nothing.
double stored_bytes(StoredWeights format, double as_computed);

enum class KeptInputs : uint8_t { as_computed, fp8 };
enum class KeptOutputs : uint8_t { as_computed, e5m6 };

/// The number formats of activations that wait for the backward pass.
struct KeptFormats {
  KeptInputs activation_inputs = KeptInputs::as_computed;    ///< of MLPs and experts
  KeptOutputs attention_outputs = KeptOutputs::as_computed;  ///< of the core
};

/// The low-rank adapters of routed experts: none, one for all of a device, or each its own.
enum class ExpertAdapters : uint8_t { none, shared, each };

/// The parts of a model with a vision tower that are not trained.
struct FrozenParts {
  bool vision = false;  ///< the tower without its projector
  bool text = false;    ///< all behind the projector
};

/// A part of a block whose input the host can keep.
enum class OffloadedInput : uint8_t {
  attention_norm,
  projections,
  attention,
  output_projection,
  feed_norm,
  first_expert_product,
  expert_activation,
};
using OffloadedInputs = std::bitset<7>;

/// A part of a block that can be a CUDA graph, in Megatron-Core's words.
enum class GraphedModule : uint8_t { attn, mlp, moe, moe_router, moe_preprocess, mamba };

/// The CUDA graphs of blocks; graphs.cpp.
struct BlockGraphs {
  uint8_t modules : 6 = 0;  ///< a bit for each
  /// What follows the experts is a graph as well where their router is in one.
  bool behind_experts : 1 = false;
  bool pads : 1 = false;  ///< rows of experts to their capacity

  bool has(GraphedModule module) const { return (modules >> static_cast<int>(module) & 1) != 0; }
  void add(GraphedModule module) {
    modules = static_cast<uint8_t>(modules | 1 << static_cast<int>(module)) & 0x3f;
  }
};

/// The images of a sequence, which a vision tower reads.
struct Images {
  int64_t count = 0;
  int64_t size = 0;  ///< their side in pixels; 0: the model's own
};

/// The number format in which weights cut over replicas are gathered.
enum class GatheredWeights : uint8_t {
  as_held,
  fp8,   ///< those of blocks; the others as they are held
  int8,  ///< all, and made what they were where they arrive
};

/// The number format in which gradients that are cut over replicas are reduced.
enum class ScatteredGradients : uint8_t {
  as_held,
  int4,  ///< within nodes, then between them
};

/// The library whose kernels bring a token once to a device that has experts of it.
enum class TokenLibrary : uint8_t { none, deepep, hybridep };

/// What dispatchers do with the rows that experts of other devices work on; token_dispatch.cpp.
struct RowOptions {
  bool by_all_to_all = false;  ///< NCCL sends them, and the router's weights apart from them
  TokenLibrary library = TokenLibrary::none;
  bool filled = false;  ///< each expert's are filled up to a number that fp8 products take
};

/// What replicas that share weights or gradients out do to them in memory.
struct ShardedOptions {
  bool sums_gradients = false;     ///< after every micro-batch, from flat buffers
  bool copies_weights = false;     ///< into place once they are gathered
  bool splits_weights = false;     ///< the same by one kernel, in which the host has no part
  bool widens_weights = false;     ///< from the 8 bits that they are gathered in
  bool narrows_gradients = false;  ///< to the 4 bits that they are reduced in, and back, twice
};

struct WorkloadOptions {
  int64_t micro_batch = 1;  ///< sequences
  int64_t sequence = 0;     ///< tokens of a sequence
  Images images;            ///< of a sequence
  int64_t tensor = 1;
  TensorGrid tensor_grid;     ///< how those stand; of transformers only
  GridSignatures signatures;  ///< of products, where the grid is cut by them
  bool sequence_parallel = false;
  BlockGraphs graphs;
  /// Weights are in fp32, and products cast what they read; transformer/autocast.cpp.
  bool autocast = false;
  /// PyTorch's operators move the rows of experts where a device has all; token_dispatch.cpp.
  bool indexes_rows = false;
  int64_t context = 1;
  ContextSplit context_split;
  int64_t expert = 1;         ///< devices, or groups of them, that share the experts of a layer
  int64_t expert_tensor = 1;  ///< devices that share every expert, where those are shared
  /// Tokens go to all devices of an expert group, which take what their experts want.
  bool gathers_tokens = false;
  RowOptions rows;
  DType precision = DType::bf16;
  Fp8Options fp8;
  DType gradients = DType::fp32;  ///< accumulated in
  KernelOptions kernels;
  ShardedOptions sharded;
  Recompute recompute;
  int64_t adapter_rank = 0;  ///< of low-rank adapters, which alone are trained; 0: all weights are
  ExpertAdapters expert_adapters = ExpertAdapters::none;
  FrozenParts frozen;
  StoredWeights stored = StoredWeights::as_computed;
  KeptFormats kept;
  bool wide_adapters = false;  ///< they compute in fp32; transformer/adapters.cpp
  OffloadedInputs offloaded;   ///< whose bytes Layer::leaves are
  int64_t pieces = 1;          ///< of a convolution or a dense layer, by its output channels
};

/// "bf16".
std::string_view name_of(DType dtype);
std::optional<DType> dtype_named(std::string_view name);

/// Bytes of one element as kernels read and write it; a block-scaled format includes its scales.
double element_bytes(DType dtype);

/// The type of everything that is not a matrix product: the precision itself, or bf16 under fp8 and
/// nvfp4.
DType activation_dtype(DType precision);

/// `bytes` as a whole number. Throws InputError beyond 10^18: no machine holds such a tensor.
Bytes whole_bytes(double bytes);

/// A kernel that reads `bytes` of weights among its operands.
inline Work with_weights(Work kernel, double bytes) {
  kernel.weights = whole_bytes(bytes);
  return kernel;
}

}  // namespace pipewright
