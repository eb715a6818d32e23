// A convolutional network as the `cnn:` map of a model gives it.
//
//   input: [3, 224, 224]          channels, height, width of a sample
//   norm: true                    batch normalisation after every convolution, no biases
//   layout: channels-last         of images in memory, or channels-first: the default for fp32,
//   tf32 layers:                       what a pipeline can cut between
//     - conv 64 7x7 /2            channels, kernel, stride; padded to (kernel - 1) / 2, or `pad N`,
//                                 `valid`; followed by ReLU
//     - max-pool 3x3 /2 pad 1     or average-pool; not padded unless said
//     - up-conv 64 2x2            transposed, stride = kernel
//     - global-pool
//     - dense 1000                over all that is there; ReLU but for the last layer
//     - residual: [conv 64 1x1, conv 64 3x3, conv 256 1x1]
//       shortcut: [conv 256 1x1]  the identity unless given
//     - branches: [[conv 64 1x1], [conv 48 1x1, conv 64 5x5]]    outputs side by side
//     - unit: [conv 64 3x3, max-pool 2x2 /2]                     not cut inside
//     - repeat: 3
//       layers: [...]
//     - save: name                the tensor here goes to `concat: name` further on as well
//     - concat: name
//     - attention 8               of 8 heads, every place to every other; channels in: queries,
//     keys,
//                                 values, which a conv before makes; out: a third of them
//     - cell:                     of a searched network; states are numbered from 0
//         input: [conv 64 1x1]    how the layer's input becomes state 0
//         previous: [conv 64 1x1] how the input of the cell before (at first the layer's own)
//         becomes
//                                 state 1
//         sums:                   each a new state, the sum of two: a state and what is done to it
//           - [[1, conv 64 1x1], [0]]
//         concat: [0, 2]          states that leave it, side by side
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/value.hpp"

namespace pipewright {

/// A tensor of one sample.
struct Image {
  int64_t channels = 0, height = 0, width = 0;
  double size() const {
    return static_cast<double>(channels) * static_cast<double>(height) * static_cast<double>(width);
  }
  bool operator==(const Image&) const = default;
};

struct CnnStep {
  enum class Kind : uint8_t {
    conv,
    up_conv,
    max_pool,
    average_pool,
    global_pool,
    dense,
    attention,
    residual,  ///< parts: body, shortcut (empty: identity)
    branches,  ///< parts: each branch
    unit,      ///< parts: the steps
    save,
    concat,
    cell,  ///< parts: of the input, of the previous, then two for every sum
  };
  Kind kind = Kind::unit;
  int64_t channels = 0;  ///< outputs of conv, up_conv, dense; heads of attention
  int64_t height = 1, width = 1, stride = 1;
  int64_t pad_height = 0, pad_width = 0;
  std::string name;  ///< of save and concat
  std::vector<std::vector<CnnStep>> parts;
  std::vector<size_t> from;  ///< by part of a cell after the second: the state that it starts with
  std::vector<size_t> states;  ///< of a cell, that leave it
  config::Value source;        ///< for errors
};

struct CnnShape {
  Image input;
  bool norm = false;
  std::optional<bool> channels_last;  ///< of images in memory; empty: by precision
  std::vector<CnnStep> layers;        ///< repeats written out
};

/// Throws InputError for what is not of the form above.
CnnShape read_cnn(const config::Value& value);

}  // namespace pipewright
