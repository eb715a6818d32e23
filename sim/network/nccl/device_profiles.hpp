// Which profile of collectives each device of a topology has, and the time of unlike devices.
#pragma once

#include <boost/container/small_vector.hpp>
#include <span>
#include <vector>

#include "network/nccl/profile.hpp"
#include "network/nccl/time.hpp"

namespace pipewright {

/// The profiles of a group of devices, each once.
using GroupProfiles = boost::container::small_vector<const CollectiveProfile*, 2>;

/// The profiles of the devices of a cluster, which may be of several types.
class DeviceProfiles {
 public:
  static constexpr int unknown = -1;

  /// No device has a profile.
  DeviceProfiles() = default;
  /// `of_device` holds, for each device, the index of its profile, or `unknown`; `node_of` its
  /// node, which only modelled profiles need.
  DeviceProfiles(std::vector<CollectiveProfile> profiles, std::vector<int> of_device,
                 std::vector<int> node_of = {})
      : profiles_(std::move(profiles)),
        of_device_(std::move(of_device)),
        node_of_(std::move(node_of)) {}

  /// Returns all profiles that some device has.
  std::span<const CollectiveProfile> all() const { return profiles_; }

  /// Returns the profiles of a group's members; none where one of them has no profile, as then
  /// nobody measured what holds the group up, or has a modelled one and the group is in one node.
  GroupProfiles of(std::span<const int> devices) const;

 private:
  bool in_one_node(std::span<const int> devices) const;

  std::vector<CollectiveProfile> profiles_;
  std::vector<int> of_device_;  ///< empty with `profiles_`
  std::vector<int> node_of_;    ///< empty where all profiles were measured
};

/// As nccl_time() and nccl_message_time() by the profile under which it takes longest: a group
/// waits for its slowest member. `profiles` has one at least.
NcclTime nccl_time(const GroupProfiles& profiles, const NcclRequest& request);
NcclTime nccl_message_time(const GroupProfiles& profiles, const NcclRequest& request);

}  // namespace pipewright
