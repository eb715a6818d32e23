// What one mesh sends another as messages between devices, for traces.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "engine/price_source.hpp"

namespace pipewright {

class ReshardingMessages {
 public:
  /// `prices` is null where nothing is resharded.
  explicit ReshardingMessages(std::shared_ptr<const ReshardingPrices> prices)
      : prices_(std::move(prices)) {}

  /// Returns the messages of a transfer of this type between meshes.
  const std::vector<resharding::Message>& of(const OpType& type) {
    const auto [known, is_new] = known_.try_emplace({type.resharding, type.bytes.count});
    if (is_new) known->second = prices_->messages(type.resharding, type.bytes);
    return known->second;
  }

 private:
  std::shared_ptr<const ReshardingPrices> prices_;
  std::map<std::pair<uint32_t, int64_t>, std::vector<resharding::Message>> known_;
};

}  // namespace pipewright
