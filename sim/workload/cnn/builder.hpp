// Walks through a network and writes down what its steps run.
#pragma once

#include <map>
#include <optional>

#include "workload/cnn/cnn_shape.hpp"
#include "workload/operation.hpp"

namespace pipewright::cnn {

class Builder {
 public:
  Builder(const CnnShape& shape, const WorkloadOptions& options);

  /// The operations of one step; what the next one gets is in at().
  Operations run(const CnnStep& step);
  /// The number of parts into which a step's samples, input channels and output channels are cut.
  struct Cut {
    int64_t samples = 1, in = 1, out = 1;
  };
  /// The same on a device that has a part of it; at() is of the whole image all the same.
  Operations run_cut(const CnnStep& step, const Cut& cut);
  /// Softmax and cross entropy over what is there.
  Operation loss() const;

  /// Returns the whole image.
  const Image& at() const { return at_; }
  /// Bytes of what one device has of a micro-batch of `image`.
  double bytes(const Image& image) const;
  /// Bytes that a cut here sends on: the tensor, and what is saved for later.
  double boundary() const;
  /// The dense layers after which no ReLU comes: the last one.
  void set_last(const CnnStep* step) { last_ = step; }

 private:
  // builder.cpp: how steps follow each other
  Operations run_all(const std::vector<CnnStep>& steps);
  Operations windowed(const CnnStep& step);
  Operations pooled();
  Operations flattened(const CnnStep& step);
  Operations residual(const CnnStep& step);
  Operations branches(const CnnStep& step);
  Operations cell(const CnnStep& step);
  Image sum_of(const CnnStep& step, size_t part, const std::vector<Image>& states,
               Operations& operations);
  void save(const CnnStep& step);
  Operation concat(const CnnStep& step);
  Operation joined(const Image& sum, double parts) const;

  // strips.cpp: what is exchanged where images are cut
  Image local(const Image& image) const;
  void exchange_rows(const CnnStep& step, Operations& operations) const;
  void share_samples(CollectiveKind forward, CollectiveKind backward, Operations& operations);

  // operations.cpp: what they run
  Operation convolution(const CnnStep& step);
  Operation up_convolution(const CnnStep& step);
  Operation pool(const CnnStep& step);
  Operation global_pool();
  Operation dense(const CnnStep& step);
  Operation attention(const CnnStep& step);
  Operation product(const Image& out, double weights, int64_t depth, int64_t gradient_depth);
  void add_bias(Operation& operation, const Image& out) const;
  void add_norm(Operation& operation, const Image& out) const;
  void add_activation(Operation& operation, const Image& out) const;
  Work stream(Kernel kernel, Direction direction, double read, double written) const;
  Image windows(const CnnStep& step, int64_t channels) const;

  // algorithms.cpp: how libraries compute a convolution
  void choose_algorithm(const CnnStep& step, const Image& in, const Image& out,
                        Operation& operation) const;
  void use_winograd(const CnnStep& step, const Image& in, const Image& out,
                    Operation& operation) const;
  bool is_transposed() const;
  void transpose(Operation& operation, const Image& in, const Image& out) const;
  int64_t tiles(const Image& image, int64_t side) const;

  const CnnShape& shape_;
  const WorkloadOptions& options_;
  DType dtype_;
  double element_;
  int64_t samples_;
  int64_t strips_;  ///< of every image; one device has one of them
  Image at_;
  bool first_ = true;  ///< nothing before needs a gradient
  const CnnStep* last_ = nullptr;
  std::map<std::string, Image> saved_;
  std::optional<Image> previous_;  ///< what entered the cell before, which the next one may use
};

}  // namespace pipewright::cnn
