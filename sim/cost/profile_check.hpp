// A profile held against measured times, and against another profile.
#pragma once

#include "cost/profile.hpp"

namespace pipewright {

/// Errors of a profile on measured points, relative.
struct ProfileErrors {
  std::string kernel;
  std::string group;  ///< which of the points
  int64_t points = 0;
  double median = 0, p90 = 0, p95 = 0, most = 0;
  int64_t outside_range = 0;  ///< points beyond the shapes that were measured
};

struct ProfileCheck {
  ProfileErrors all;
  std::vector<ProfileErrors> groups;
};

/// Predicts the points as the benchmark would measure them, with nothing of a training run applied.
/// Throws Failure where the profile does not know the kernel or one of the types.
ProfileCheck check(const Profile& profile, const std::vector<PointTable>& tables);

/// The points of one kernel and type that two profiles share. Of kernels that stream a profile has
/// the bandwidth only: its points are those that the bandwidth was held against.
struct ProfileChange {
  std::string kernel;
  int64_t points = 0;
  double median_ratio = 1;  ///< new over old time
  double noise = 0;         ///< by which a median of so many points may differ by chance
  bool regression() const { return median_ratio > 1 + noise; }
};
/// Summarises `ratios`, new over old times of the points that both have.
ProfileChange change_of(std::string kernel, const std::vector<double>& ratios);
/// Returns the changes of products, attention and kernels that stream.
std::vector<ProfileChange> changes(const Profile& before, const Profile& after);

}  // namespace pipewright
