// The measured profile of collectives on a device: the parameters of the model in time.cpp, as a
// calibration profile holds them. Data: calibrate/profiles/*.yaml, key `collectives`.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "network/nccl/tuning.hpp"

namespace pipewright {

/// Ends of a ring, in steps: the first and last steps also copy inside the device.
struct RingEnds {
  double all_gather = 0.5, reduce_scatter = 0.5, all_reduce = 0.5;
};

/// A ring under one protocol.
struct RingTimes {
  double base_s = 0;             ///< launch and everything else that is paid once
  double hop_s = 0;              ///< a step inside a node
  double channel_bandwidth = 0;  ///< bytes/s of payload in one channel
  double first_bandwidth = 0;    ///< LL: within the first pass of a channel's threads; 0: the same
  double one_byte = 0;           ///< share by which reducing elements of one byte takes longer
  RingEnds ends;
};

/// The switch reduces: a lower line while pieces are small, the full rate once they are not.
struct SwitchTimes {
  double base_s = 0;
  double early_bandwidth = 0, late_s = 0, bandwidth = 0;  ///< bytes/s of the buffer
};

/// Point to point, all pairs at once.
struct PairTimes {
  double base_s = 0, doubling_s = 0;  ///< once, and for each doubling of the group
  double first_bandwidth = 0;         ///< of one message in one channel
  double early_bandwidth = 0, late_s = 0, bandwidth = 0;  ///< of a member, all channels
  double own = 0;  ///< share of a message that the copy of a member's own part costs
};

/// The error of the fit on points that it never saw.
struct HeldOut {
  int points = 0;
  double median_abs_error = 0, p95_abs_error = 0;
};

struct CollectiveProfile {
  std::string name;       ///< of the profile
  bool measured = false;  ///< on this very device; else taken over from another of its family
  /// Nobody measured the device or its family: see modelled_profile(). Inside a node it says
  /// nothing.
  bool modelled = false;
  std::string software;
  std::string points;  ///< the file of the measured points, beside the profile
  NcclTuning tuning;
  double link_bandwidth = 0;  ///< bytes/s of a member's ring links where it was measured
  std::array<RingTimes, nccl_protocols> ring;
  std::optional<SwitchTimes> in_switch;
  PairTimes pairs;
  std::optional<HeldOut> held_out;
  int64_t least_bytes = 0, most_bytes = 0;  ///< that were measured
};

/// `value` is a profile: a name, path or map. Nothing where it holds no collectives.
std::optional<CollectiveProfile> read_collective_profile(const config::Value& value,
                                                         const config::Catalogue& catalogue);

/// The map that read_collective_profile() finds under `collectives`.
config::Value to_value(const HeldOut& held_out);
config::Value to_value(const CollectiveProfile& profile);

}  // namespace pipewright
