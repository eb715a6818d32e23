// The dimensions of a vision tower: the map `vision` of a `transformer:` map.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "config/value.hpp"

namespace pipewright {

enum class Norm : uint8_t;
struct TransformerShape;

/// How an image becomes what enters a tower's first block.
struct Patches {
  int64_t side = 0;      ///< of a patch, in pixels
  int64_t channels = 3;  ///< of a pixel
  int64_t frames = 1;    ///< that a patch spans; an image is as many alike
  bool bias = false;
  int64_t positions = 0;     ///< rows of a learned table that is added; 0: none
  bool class_token = false;  ///< one more token in every image, which does not leave the tower
  bool norm = false;         ///< of what enters the first block
  int64_t image = 0;         ///< side of every image, in pixels; 0: as it comes

  int64_t numbers() const { return channels * frames * side * side; }
};

/// How patches become tokens of the text.
struct Projector {
  bool last_norm = false;       ///< the tower's, of what leaves its last block
  int64_t merge = 1;            ///< side of the square of patches that becomes one token
  bool pools = false;           ///< as their mean; else they stand side by side
  std::optional<Norm> norm;     ///< before the products
  bool norms_merged = false;    ///< it is of merged patches, else of patches
  std::vector<int64_t> widths;  ///< of the products before the last, which gives the text's width
  bool bias = false;
  int32_t mlp = 0;  ///< width of a gated MLP behind one product more and a norm; 0: there is none
  int64_t deep =
      0;  ///< projectors of blocks within the tower, whose result is added to text blocks
};

/// An encoder of images in front of a transformer's first block.
struct VisionTower {
  std::shared_ptr<const TransformerShape> blocks;
  Patches patches;
  Projector projector;

  /// Returns the tokens of the text that an image `size` pixels wide and high becomes.
  int64_t tokens(int64_t size) const;
  /// Returns the patches of it, without a class token.
  int64_t patches_of(int64_t size) const;
  /// Returns the numbers of a token before the products.
  int64_t merged_width() const;
};

/// Reads the map `vision`. Throws InputError for dimensions that contradict each other.
VisionTower read_vision(const config::Value& value);

}  // namespace pipewright
