// NCCL's collectives on a topology, by the profiles of its devices.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "network/alpha_beta.hpp"
#include "network/nccl/device_profiles.hpp"
#include "network/nccl/exchange.hpp"
#include "network/nccl/measured_network.hpp"
#include "network/nccl/request_memo.hpp"
#include "network/nccl/time_memo.hpp"

namespace pipewright {

/// Returns what a request needs to know of a group; `kind`, `bytes` and `element_bytes` are left to
/// the caller.
NcclRequest request_on(const Topology& topology, std::span<const int> devices);

/// Times on an idle network: as NCCL takes them on the devices of a group where all of them have a
/// profile, else as the alpha-beta model has them.
class CollectiveTimes {
 public:
  CollectiveTimes(Topology topology, DeviceProfiles profiles)
      : links_(topology), topology_(std::move(topology)), profiles_(std::move(profiles)) {}

  /// Takes what was measured on this network for its collectives from now on.
  void measured(const NetworkProfile& profile);
  /// Expects the traffic of other jobs from now on, where networks of the kind have some
  /// (network/other_jobs.hpp).
  void expect_other_jobs() { beside_other_jobs_ = true; }
  /// Takes every all_to_all from now on for an exchange of tokens by a library of its own.
  void exchange_by(Exchange exchange) { exchange_ = std::move(exchange); }
  /// Takes them as a release of NCCL and its plug-ins do, from now on.
  void of_release(int release) { release_ = release; }
  /// Returns by how much the models' time is multiplied: what was measured is slower or quicker
  /// than that, but no quicker than the links allow.
  double factor(CollectiveKind kind, std::span<const int> devices, Bytes bytes) const;
  double factor(int from_device, int to_device, Bytes bytes) const;
  /// What was measured, where something was.
  const MeasuredNetwork* measured() const { return measured_.get(); }

  /// Returns the time of a message; zero on one device. Throws Failure when there is no route.
  Time transfer(int from_device, int to_device, Bytes bytes) const;
  /// `bytes` as in CollectiveWork. Zero for a group of one.
  Time collective(CollectiveKind kind, std::span<const int> devices, Bytes bytes) const;

  /// Returns the seconds of that time in which bytes are on links, and which may grow where links
  /// are shared; nothing where a device has no profile.
  std::optional<double> moving_s(int from_device, int to_device, Bytes bytes) const;
  std::optional<double> moving_s(CollectiveKind kind, std::span<const int> devices,
                                 Bytes bytes) const;

  /// Channels that NCCL would take for it, each a block on a processor, or the processors that
  /// kernels of a library hold; nothing where a device has no profile.
  std::optional<int> channels(CollectiveKind kind, std::span<const int> devices, Bytes bytes) const;

  const DeviceProfiles& profiles() const { return profiles_; }

 private:
  /// Returns the time of a message that is alone on its route.
  NcclTime message_time(const GroupProfiles& profiles, int from_device, int to_device,
                        Bytes bytes) const;
  /// Returns the time of a message between neighbours of a ring while all devices of a node send.
  NcclTime neighbour_time(int from_device, int to_device, Bytes bytes) const;
  NcclRequest request_of(std::span<const int> devices) const;
  NcclRequest group_request(CollectiveKind kind, std::span<const int> devices, Bytes bytes) const;
  /// Returns the time of the slowest message from a member to the next.
  NcclTime shift_time(std::span<const int> devices, Bytes bytes) const;
  /// Returns the time of an exchange of tokens, which is by a library of its own.
  NcclTime exchange_time(const Exchange& exchange, const GroupProfiles& profiles,
                         NcclRequest request) const;
  NcclTime group_time(const GroupProfiles& profiles, CollectiveKind kind,
                      std::span<const int> devices, Bytes bytes) const;
  /// Returns the times of a collective and of a message by the models alone.
  NcclTime modelled(CollectiveKind kind, std::span<const int> devices, Bytes bytes) const;
  NcclTime modelled(int from_device, int to_device, Bytes bytes) const;
  /// Returns so many devices of each of so many nodes; none where there are not as many.
  std::vector<int> members(int ranks_per_node, int nodes) const;
  /// Returns the seconds of an operation by the models alone; nothing for what the cluster has not.
  std::optional<double> predicted_s(std::string_view operation, int ranks_per_node, int nodes,
                                    double bytes) const;
  std::optional<double> least_s(std::string_view operation, int ranks_per_node, int nodes,
                                double bytes) const;
  double measured_factor(std::string_view operation, int ranks_per_node, int nodes,
                         Bytes bytes) const;
  /// Returns the seconds that the links between nodes need at the least.
  double least_s(CollectiveKind kind, std::span<const int> devices, Bytes bytes) const;
  double least_s(int from_device, int to_device, Bytes bytes) const;

  AlphaBeta links_;
  Topology topology_;
  DeviceProfiles profiles_;
  std::shared_ptr<const MeasuredNetwork> measured_;  ///< null: nothing was
  std::vector<std::vector<int>> devices_of_node_;    ///< where something was
  std::vector<double> out_of_node_;   ///< bytes/s over all links of a node, where something was
  std::optional<Exchange> exchange_;  ///< empty: NCCL sends tokens too
  bool beside_other_jobs_ = false;
  int release_ = todays_nccl;
  std::unique_ptr<RequestMemo> memo_ = std::make_unique<RequestMemo>();
  std::unique_ptr<TimeMemo> times_ = std::make_unique<TimeMemo>();
};

}  // namespace pipewright
