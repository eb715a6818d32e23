// SBP signatures (OneFlow, arXiv 2110.15032; AutoDDL, arXiv 2301.06813): how every side of a grid
// of devices cuts a product y = x w, and what brings a tensor from the way one product leaves it to
// the way the next takes it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "config/value.hpp"
#include "workload/layer.hpp"
#include "workload/tensor_grid.hpp"

namespace pipewright {

/// The cut of a product over one side of the grid.
enum class Signature : uint8_t {
  batch,      ///< x S(0), w B, y S(0)
  column,     ///< x B, w S(1), y S(1)
  row,        ///< x S(1), w S(0), y P
  replicate,  ///< x, w, y B
};
inline constexpr int signature_count = 4;
inline constexpr std::array<const char*, signature_count> signature_names = {"batch", "column",
                                                                             "row", "replicate"};

/// The layout of a tensor on the devices of one side.
enum class Spread : uint8_t {
  batch,     ///< S(0), by samples
  features,  ///< S(1)
  whole,     ///< B
  partial,   ///< P, to be summed
};

Spread input_of(Signature signature);
Spread output_of(Signature signature);
/// The spread of the gradient that comes out of the backward pass, and of the one that it needs.
Spread input_gradient_of(Signature signature);
Spread output_gradient_of(Signature signature);

inline constexpr size_t grid_sides = 3;
using Signatures = std::array<Signature, grid_sides>;
using Spreads = std::array<Spread, grid_sides>;

/// The signatures by which a model's products are cut, side by side.
struct GridSignatures {
  struct Product {
    std::string name;  ///< empty: by its place
    Signatures signatures{};
    config::Value given;
  };
  std::vector<Product> products;
  config::Value given;  ///< for errors
};

/// One of the four functions above, side by side.
Spreads on_sides(const Signatures& signatures, Spread (*spread)(Signature));
/// Product of the sides on which a tensor lies so.
int64_t parts(const TensorGrid& grid, const Spreads& spreads, Spread which);
/// The group of devices that differ on those sides only; `tensor_row` of none.
Axis axis_of(const TensorGrid& grid, const std::array<bool, grid_sides>& sides);
/// Returns the sides on which a product is cut by samples, over which its weights' gradients have
/// to be summed; none where all of those are 1.
std::optional<Axis> summed_over(const TensorGrid& grid, const Signatures& signatures);

/// The collectives that bring a tensor of `bytes`, whole, from one way to lie to another that has
/// nothing partial. Each segment is one collective, without kernels.
Segments boxing(const TensorGrid& grid, const Spreads& from, const Spreads& to, double bytes);

}  // namespace pipewright
