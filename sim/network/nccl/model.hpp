// NCCL's collectives on a topology, by the profile of its devices.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "network/alpha_beta.hpp"
#include "network/nccl/measured_network.hpp"
#include "network/nccl/request_memo.hpp"
#include "network/nccl/time.hpp"

namespace pipewright {

/// Returns what a request needs to know of a group; `kind`, `bytes` and `element_bytes` are left to
/// the caller.
NcclRequest request_on(const Topology& topology, std::span<const int> devices);

/// Times on an idle network: with a profile as NCCL takes them on its devices, without one as the
/// alpha-beta model has them.
class CollectiveTimes {
 public:
  CollectiveTimes(Topology topology, std::optional<CollectiveProfile> profile)
      : links_(topology), topology_(std::move(topology)), profile_(std::move(profile)) {}

  /// Takes what was measured on this network for its collectives from now on.
  void measured(const NetworkProfile& profile);
  /// What was measured, where something was.
  const MeasuredNetwork* measured() const { return measured_.get(); }

  /// Returns the time of a message; zero on one device. Throws Failure when there is no route.
  Time transfer(int from_device, int to_device, Bytes bytes) const;
  /// `bytes` as in CollectiveWork. Zero for a group of one.
  Time collective(CollectiveKind kind, std::span<const int> devices, Bytes bytes) const;

  /// Returns the seconds of that time in which bytes are on links, and which may grow where links
  /// are shared. Needs a profile.
  double moving_s(int from_device, int to_device, Bytes bytes) const;
  double moving_s(CollectiveKind kind, std::span<const int> devices, Bytes bytes) const;

  /// Channels that NCCL would take for it, each a block on a processor. Needs a profile.
  int channels(CollectiveKind kind, std::span<const int> devices, Bytes bytes) const;

  const std::optional<CollectiveProfile>& profile() const { return profile_; }

 private:
  const CollectiveProfile& known_profile() const;
  /// Returns the time of a message that is alone on its route.
  NcclTime message_time(int from_device, int to_device, Bytes bytes) const;
  /// Returns the time of a message between neighbours of a ring while all devices of a node send.
  NcclTime neighbour_time(int from_device, int to_device, Bytes bytes) const;
  NcclRequest group_request(CollectiveKind kind, std::span<const int> devices, Bytes bytes) const;
  /// Returns the time of the slowest message from a member to the next.
  NcclTime shift_time(std::span<const int> devices, Bytes bytes) const;
  NcclTime group_time(CollectiveKind kind, std::span<const int> devices, Bytes bytes) const;
  /// Returns the times of a collective and of a message by the models alone.
  NcclTime modelled(CollectiveKind kind, std::span<const int> devices, Bytes bytes) const;
  NcclTime modelled(int from_device, int to_device, Bytes bytes) const;
  /// By how much what was measured is slower than that.
  double factor(CollectiveKind kind, std::span<const int> devices, Bytes bytes) const;
  double factor(int from_device, int to_device, Bytes bytes) const;

  AlphaBeta links_;
  Topology topology_;
  std::optional<CollectiveProfile> profile_;
  std::shared_ptr<const MeasuredNetwork> measured_;  ///< null: nothing was
  std::shared_ptr<RequestMemo> memo_ = std::make_shared<RequestMemo>();
};

}  // namespace pipewright
