// Layers of a network one after another: each takes the image that the one before has made.
#pragma once

#include "workload/cnn/operations.hpp"

namespace pipewright::cnn {

class Path {
 public:
  Path(const CnnShape& shape, const WorkloadOptions& options);

  /// The image that is there, whole.
  const Image& at() const { return at_; }
  /// Goes on from another image.
  void go_to(const Image& image) { at_ = image; }
  void set_channels(int64_t channels) { at_.channels = channels; }
  Share& share() { return share_; }
  const Share& share() const { return share_; }
  /// The dense layer after which no ReLU comes: the last one.
  const CnnStep* last() const { return last_; }
  void set_last(const CnnStep* step) { last_ = step; }

  // The operations of one layer, after which its image is there.
  Operations windowed(const CnnStep& step);
  Operations up_convolved(const CnnStep& step);
  Operations pooled();
  Operations flattened(const CnnStep& step);
  Operations attended(const CnnStep& step);

 private:
  const CnnShape& shape_;
  Share share_;
  Image at_;
  bool first_ = true;  ///< nothing before needs a gradient
  const CnnStep* last_ = nullptr;
};

}  // namespace pipewright::cnn
