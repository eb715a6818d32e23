// The group of a rank that stands for each kind of traffic.
//
// A rank is in many groups: norms of gradients are summed over model ranks, barriers over all. What
// they move is next to nothing beside gradients, tensors and tokens. Of the groups that move a part
// of a traffic worth mentioning, the largest is the degree: experts' gradients are summed over
// fewer ranks than the others. The group of the embedding's two stages is none.
#pragma once

#include <array>

#include "diagnose/device_work.hpp"

namespace pipewright::diagnose {

/// Whether its group is that of the embedding, which the first and the last stage hold.
bool joins_stages(const ProfiledCollective& collective);

/// By traffic, a collective of its group; null: there is none. The collectives are the profile's.
std::array<const ProfiledCollective*, traffic_kinds> main_groups(const RankProfile& profile,
                                                                 const DeviceWork& work);

/// The degree of context parallelism, where context ranks are among the ranks that sum gradients
/// together; else 1.
int context_among_data(const std::array<const ProfiledCollective*, traffic_kinds>& groups);

}  // namespace pipewright::diagnose
