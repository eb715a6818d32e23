// A graph of operations that cuDNN fuses into kernels.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "kernels/cuda/cudnn/descriptor.hpp"
#include "kernels/cudnn.hpp"

namespace pipewright::kernels::cuda::cudnn {

using Sizes = std::array<int64_t, 4>;

/// The layout of numbers in memory: strides are in numbers.
struct Layout {
  Sizes sizes{}, strides{};
};
/// The last size runs fastest, nothing stands between.
Layout packed(const Sizes& sizes);

cudnnDataType_t type_of(Stored numbers);

class Graph {
 public:
  explicit Graph(const Library& library) : library_(library) {}
  Graph(const Graph&) = delete;

  using Id = int64_t;
  /// A tensor that the caller has, in the order in which a plan is given them.
  Id given(cudnnDataType_t type, const Layout& layout);
  /// One that is never stored.
  Id between(cudnnDataType_t type, const Layout& layout);
  /// One in fp32 that is stored in workspace, without gaps.
  Id scratch(const Sizes& sizes);
  /// One number that is given by value.
  Id number(float value);

  void multiply(Id a, Id b, Id c);
  /// y = mode(x), mode(x, b); a comparison works in booleans.
  void pointwise(cudnnPointwiseMode_t mode, Id x, Id y);
  void pointwise(cudnnPointwiseMode_t mode, Id x, Id b, Id y);
  /// y = the place of each number of x along an axis.
  void index(Id x, int64_t axis, Id y);
  /// y = where ? x : otherwise
  void select(Id x, Id otherwise, Id where, Id y);
  void reduce(cudnnReduceTensorOp_t by, Id x, Id y);
  /// The same numbers, looked at otherwise.
  void reshape(Id x, Id y);
  enum class Pass { forward, input_gradient, weight_gradient };
  /// x (or its gradient) and w (or its gradient) and y (or its gradient).
  void convolve(Pass pass, const Convolution& shape, Id x, Id w, Id y);

  /// Finalises it; nothing can be added afterwards. `handle` may be null.
  const Descriptor& finish(cudnnHandle_t handle);

  const std::vector<Id>& all_given() const { return given_; }
  struct Scratch {
    Id id;
    int64_t bytes;
  };
  const std::vector<Scratch>& all_scratch() const { return scratch_; }
  struct Number {
    Id id;
    float value;
  };
  const std::vector<Number>& all_numbers() const { return numbers_; }

 private:
  enum class Kind { stored, between, number };
  Id tensor(cudnnDataType_t type, const Layout& layout, Kind kind);
  const Descriptor& at(Id id) const { return tensors_[static_cast<size_t>(id) - 1]; }
  Descriptor& operation(cudnnBackendDescriptorType_t type, const char* what);
  Descriptor& keep(cudnnBackendDescriptorType_t type, const char* what);
  Descriptor& pointwise_operation(cudnnPointwiseMode_t mode, Id x, Id y, int64_t axis = -1);

  const Library& library_;
  std::deque<Descriptor> tensors_, parts_, graph_;
  std::vector<Descriptor> operations_;
  std::vector<Id> given_;
  std::vector<Scratch> scratch_;
  std::vector<Number> numbers_;
};

}  // namespace pipewright::kernels::cuda::cudnn
