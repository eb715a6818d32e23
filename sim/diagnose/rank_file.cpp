#include "diagnose/rank_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "diagnose/diagnose.hpp"
#include "diagnose/flight_names.hpp"
#include "diagnose/overlapped_pair.hpp"
#include "diagnose/profile_files.hpp"
#include "interop/words.hpp"

namespace pipewright::diagnose {
namespace {

bool is_message(const DeviceOp& op) { return op.communicates && op.traffic == Traffic::pipeline; }

/// Who exchanges tokens with the rank. DeepEP's kernels do not say that: it is all ranks of a
/// stage, unless several of them have the same experts, whose gradients they sum.
std::string expert_group_of(const RankProfile& profile, const RankOperations& work) {
  if (work.exchanges.empty()) return {};
  if (const int32_t collective = work.exchanges.front().collective; collective >= 0)
    return profile.collectives[static_cast<size_t>(collective)].ranks;
  const auto sums_experts = [](const ProfiledCollective& one) {
    const std::string description = interop::lower_case(one.description);
    return one.size > 1 && description.find("expert") != std::string::npos &&
           description.find("data") != std::string::npos;
  };
  return std::ranges::any_of(profile.collectives, sums_experts) ? std::string() : "its stage";
}

int64_t largest_message(const RankProfile& profile, const DeviceWork& work) {
  int64_t most = 0;
  for (const DeviceOp& op : work.ops)
    if (is_message(op) && op.collective >= 0)
      most = std::max(most, profile.collectives[static_cast<size_t>(op.collective)].bytes);
  return most;
}

TracedRank traced_rank(const RankProfile& profile) {
  const DeviceWork work = device_work(profile);
  TracedRank one{.file = profile.file, .rank = profile.rank, .world = profile.world};
  one.host = profile.host;
  one.begin_us = profile.begin_us;
  one.place = place_of(profile, work);
  one.communicates = std::ranges::any_of(work.ops, &DeviceOp::communicates);
  one.names_groups = std::ranges::any_of(
      profile.collectives, [](const auto& collective) { return !collective.ranks.empty(); });
  one.messages = static_cast<size_t>(std::ranges::count_if(work.ops, is_message));
  one.message_bytes = largest_message(profile, work);
  one.overlaps_passes = is_overlapped_pair(work);
  one.work = operations_of(profile, work, one.place);
  one.expert_group = expert_group_of(profile, one.work);
  one.alone = diagnose_profile(profile, work, one.work.operations);
  return one;
}

}  // namespace

RankFile read_rank_file(const std::string& file, const std::vector<FlightRecord>& flights,
                        const std::vector<NsysProcess>& elsewhere) {
  RankFile read;
  for (RankProfile& profile : read_rank_profiles(file, elsewhere)) {
    for (size_t i = 0; i < flights.size(); ++i) {
      // The dump of the rank, or the only one where nobody knows of which rank it is.
      const FlightRecord& flight = flights[i];
      const bool lone = flights.size() == 1 && (flight.rank < 0 || profile.rank < 0);
      if (!lone && (flight.rank < 0 || flight.rank != profile.rank)) continue;
      read.used_flights.push_back(i);
      if (const std::string why = name_by_flight(flight, profile); !why.empty())
        read.notes.push_back(fmt::format("'{}' does not tell the groups of all kernels of '{}': {}",
                                         flight.file, profile.file, why));
    }
    read.ranks.push_back(traced_rank(profile));
  }
  return read;
}

}  // namespace pipewright::diagnose
