// Walks through a network and writes down what its steps run.
#pragma once

#include <map>
#include <optional>

#include "workload/cnn/path.hpp"

namespace pipewright::cnn {

/// Knows where in the network it stands: what is there, what was saved, what still is whole.
class Builder {
 public:
  Builder(const CnnShape& shape, const WorkloadOptions& options);

  /// The operations of one step; what the next one gets is in at().
  Operations run(const CnnStep& step);
  /// The number of parts into which a step's samples, input channels and output channels are cut.
  struct Cut {
    int64_t samples = 1, in = 1, out = 1;
  };
  /// The same on a device that has a part of it; at() is of the whole image all the same. For
  /// convolutions, dense layers and pools.
  Operations run_cut(const CnnStep& step, const Cut& cut);
  Operation loss() const { return cnn::loss(path_.share(), at()); }

  /// Returns the whole image.
  const Image& at() const { return path_.at(); }
  /// Bytes that a cut here sends on: the tensor, and what is saved for later.
  double boundary() const;
  /// The dense layers after which no ReLU comes: the last one.
  void set_last(const CnnStep* step) { path_.set_last(step); }

 private:
  Operations run_all(const std::vector<CnnStep>& steps);
  /// The same from `in` on.
  Operations run_from(const Image& in, const std::vector<CnnStep>& steps);
  Operations residual(const CnnStep& step);
  Operations branches(const CnnStep& step);
  void save(const CnnStep& step);
  Operation concat(const CnnStep& step);

  // cell.cpp
  Operations cell(const CnnStep& step);
  Image sum_of(const CnnStep& step, size_t part, const std::vector<Image>& states,
               Operations& operations);

  Path path_;
  std::map<std::string, Image> saved_;
  std::optional<Image> previous_;  ///< what entered the cell before, which the next one may use
};

}  // namespace pipewright::cnn
