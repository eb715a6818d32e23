#include "diagnose/grid_place.hpp"

#include <optional>

#include "diagnose/main_groups.hpp"
#include "interop/words.hpp"

namespace pipewright::diagnose {
namespace {

/// The place of `rank` in the list "[3, 7, 11]".
std::optional<int> place_in(const std::string& ranks, int rank) {
  int place = 0;
  for (const std::string_view word : interop::split(ranks, "[], ", false)) {
    if (interop::number_of<int>(word) == rank) return place;
    ++place;
  }
  return std::nullopt;
}

}  // namespace

GridPlace place_of(const RankProfile& profile, const DeviceWork& work) {
  GridPlace place;
  if (profile.rank < 0) return place;
  const auto groups = main_groups(profile, work);
  const auto place_among = [&](Traffic traffic) {
    const ProfiledCollective* group = groups[static_cast<size_t>(traffic)];
    return group == nullptr ? 0 : place_in(group->ranks, profile.rank).value_or(0);
  };
  place.data = place_among(Traffic::data);
  place.stage = place_among(Traffic::pipeline);
  place.tensor = place_among(Traffic::tensor);
  const int context = context_among_data(groups);
  place.tensor = place.tensor * context + place.data % context;
  place.data /= context;
  return place;
}

}  // namespace pipewright::diagnose
