// Whether a rank computes while its messages move.
#pragma once

#include <vector>

#include "diagnose/device_work.hpp"
#include "interop/rank_profile.hpp"

namespace pipewright::diagnose {

/// What a collective op says of itself; null where it says nothing.
inline const ProfiledCollective* collective_of(const RankProfile& profile, const DeviceOp& op) {
  return op.collective < 0 ? nullptr : &profile.collectives[static_cast<size_t>(op.collective)];
}

/// Whether a name has a word, in whatever case.
bool has_word(const std::string& name, const char* word);

/// Whether every send of the rank ends before what it computes next, every receive begins after
/// what it computed before.
struct MessageOrder {
  bool sends_first = true, receives_last = true;
};

/// `steps`: the ops of each step in the order of their launches.
MessageOrder message_order(const RankProfile& profile,
                           const std::vector<std::vector<const DeviceOp*>>& steps);

}  // namespace pipewright::diagnose
