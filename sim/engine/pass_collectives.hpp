// How long the collectives last that a device runs within its passes.
//
// A slow link makes those of its own group longer, and no others: groups of one type may differ.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "engine/price.hpp"
#include "program/program.hpp"

namespace pipewright {

class PassCollectives {
 public:
  /// No pass has one.
  PassCollectives() = default;
  /// `in_pass`: by type, whether it belongs to a pass.
  PassCollectives(const Program& program, const Prices& prices, const std::vector<bool>& in_pass);

  /// Types that last otherwise for a device than for the first group, and how long.
  using Unlike = std::vector<std::pair<uint32_t, Time>>;
  Unlike unlike(int32_t device) const;

  /// How many ranks run a collective of `type`; 0: no group does.
  size_t ranks(uint32_t type) const { return type < usual_.size() ? usual_[type].ranks : 0; }
  Time time(uint32_t type, int32_t device) const;

 private:
  struct Usual {
    Time time;
    size_t ranks = 0;
  };

  std::vector<Usual> usual_;  ///< of the first group, by type
  std::map<int32_t, Unlike> unlike_;
};

}  // namespace pipewright
