// Prices by rules that a test writes down.
#pragma once

#include <functional>

#include "engine/price.hpp"

namespace pipewright::test {

/// The rules; only those that a program asks for must be there.
struct PriceRules {
  std::function<Time(const Work&, int32_t device)> compute;
  std::function<Time(int32_t from, int32_t to, Bytes)> transfer;
  std::function<Time(CollectiveKind, std::span<const int32_t> devices, Bytes)> collective;
  std::optional<double> collective_moving_s;  ///< of all collectives
};

class RuleSource final : public PriceSource {
 public:
  explicit RuleSource(PriceRules rules) : rules_(std::move(rules)) {}

  Time compute(const Work& work, int32_t device) const override {
    return rules_.compute(work, device);
  }
  Time transfer(int32_t from, int32_t to, Bytes bytes) const override {
    return rules_.transfer(from, to, bytes);
  }
  Time collective(CollectiveKind kind, std::span<const int32_t> devices,
                  Bytes bytes) const override {
    return rules_.collective(kind, devices, bytes);
  }
  Time host_copy(int32_t, Bytes) const override { return {}; }
  std::optional<double> collective_moving(CollectiveKind, std::span<const int32_t>,
                                          Bytes) const override {
    return rules_.collective_moving_s;
  }

 private:
  PriceRules rules_;
};

inline Prices prices_by(PriceRules rules) {
  return {.source = std::make_shared<const RuleSource>(std::move(rules))};
}

}  // namespace pipewright::test
