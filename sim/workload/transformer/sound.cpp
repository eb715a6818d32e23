// What stands in front of an encoder of sound (Whisper, arXiv 2212.04356; transformers,
// whisper/modeling_whisper.py).
//
// A token is two frames of c numbers each. A convolution of three taps makes every frame h wide,
// another one with a stride of two makes tokens of them; each has a GELU behind it. Both are
// products that read three frames for a row: 3 c -> h over 2 n rows, which makes no gradient of its
// input, and 3 h -> h over n rows. Fixed positions are added; they count among the parameters and
// are not trained. Tensor ranks run all of it whole, as they do a vision tower's patches. Products
// here stay out of fp8. Left out: that a convolution reads a frame once for all its taps.
#include "base/units.hpp"
#include "workload/transformer/shards.hpp"
#include "workload/transformer/share.hpp"

namespace pipewright::transformer {
namespace {

constexpr int64_t taps = 3, frames_a_token = 2;

/// The share of rows of which a device has so many for each of its tokens.
Share with_rows_a_token(const Share& share, int64_t rows) {
  Share some = share.wide();
  some.tokens = some.outer_tokens = rows * share.tokens;
  some.all_tokens = as_double(some.tokens);
  return some;
}

/// A convolution of frames `in` wide, of which it keeps `kept` bytes.
Operation filter(const Share& rows, int64_t in, double kept) {
  Operation operation = linear(
      rows, {.in = taps * in, .out = rows.shape.hidden, .tokens = rows.tokens, .bias = true});
  operation.saved = kept;
  return operation;
}

/// GELU, which keeps its input.
Operation activated(const Share& rows) {
  const double bytes = rows.bytes(rows.shape.hidden);
  Operation operation;
  operation.forward = {stream(rows, Kernel::elementwise, Direction::forward, bytes, bytes)};
  operation.input_gradient = {
      stream(rows, Kernel::elementwise, Direction::input_gradient, 2 * bytes, bytes)};
  operation.saved = bytes;
  return operation;
}

Operation fixed_positions(const Share& rows, double numbers) {
  const double bytes = rows.bytes(rows.shape.hidden);
  Operation operation;
  operation.parameters = operation.device_parameters = numbers;
  operation.forward = {stream(rows, Kernel::elementwise, Direction::forward, 2 * bytes, bytes)};
  return operation;
}

}  // namespace

Layer sound_layer(const Share& share, const SoundFront& front, int64_t positions) {
  const double table = as_double(positions) * as_double(share.shape.hidden);
  const Share frames = with_rows_a_token(share, frames_a_token);
  const Share tokens = with_rows_a_token(share, 1);
  Operation heard = filter(frames, front.bins, frames.bytes(front.bins));
  heard.input_gradient.clear();
  Operations operations{heard, activated(frames),
                        filter(tokens, share.shape.hidden, frames.bytes(share.shape.hidden)),
                        activated(tokens), fixed_positions(tokens, table)};
  Layer layer = assemble(
      {.name = "sound", .kind = LayerKind::tower, .output = share.outer_bytes(share.shape.hidden)},
      with_shards(share, std::move(operations), {}), {});
  layer.trained = layer.device_parameters - table;
  return layer;
}

}  // namespace pipewright::transformer
