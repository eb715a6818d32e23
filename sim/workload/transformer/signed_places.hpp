// The shares that a device has of tensors which lie over a grid each in its own way.
#pragma once

#include <map>
#include <memory>
#include <tuple>

#include "workload/signatures.hpp"
#include "workload/transformer/share.hpp"

namespace pipewright::transformer {

/// Returns the tokens of a micro-batch, on all devices together.
double all_tokens(const WorkloadOptions& options);

/// The shares of a device by where a tensor lies; each is made once.
class SignedPlaces {
 public:
  SignedPlaces(const TransformerShape& shape, const WorkloadOptions& options,
               const config::Value& where)
      : shape_(shape), options_(options), where_(where) {}

  /// Throws Misfit where samples are cut in more parts than there are.
  const Share& at(const Spreads& spreads, Axis tensor_axis = Axis::tensor);

 private:
  /// A Share refers to its options.
  struct Place {
    WorkloadOptions options;
    std::optional<Share> share;
  };

  const TransformerShape& shape_;
  const WorkloadOptions& options_;
  const config::Value& where_;
  std::map<std::tuple<int64_t, int64_t, Axis>, std::unique_ptr<Place>> places_;
};

}  // namespace pipewright::transformer
