#include "diagnose/flight_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "diagnose/device_work.hpp"
#include "interop/nccl_kind.hpp"

namespace pipewright::diagnose {
namespace {

using interop::NcclKind;

/// A sequence of fewer kernels may stand anywhere by chance.
constexpr size_t telling_sequence = 4;
/// Of a dump the last so many launches are looked at: every place in it is tried.
constexpr size_t most_launches = size_t{1} << 16;

class FlightNaming {
 public:
  FlightNaming(const FlightRecord& record, RankProfile& profile)
      : record_(record), profile_(profile) {}

  std::string run() {
    complete_groups();
    find_nameless();
    if (nameless_.empty()) return {};
    find_launches();
    if (nameless_.size() < telling_sequence || launches_.size() < nameless_.size())
      return fmt::format("it has {} launches, and {} kernels of the trace name no group",
                         launches_.size(), nameless_.size());
    return join();
  }

 private:
  /// PyTorch leaves the ranks of large groups out of its traces.
  void complete_groups() {
    for (ProfiledCollective& one : profile_.collectives) {
      const auto group = record_.groups.find(one.group);
      if (group == record_.groups.end()) continue;
      one.ranks = group->second.ranks;
      one.size = group->second.size;
      if (one.description.empty() || one.description == "undefined")
        one.description = group->second.description;
    }
  }

  /// The kernels of NCCL that name no group, in the order in which their host asked for them.
  void find_nameless() {
    std::unordered_map<int64_t, Time> launched;
    for (const ProfiledEvent& event : profile_.events)
      if (event.category == EventCategory::launch) launched[event.correlation] = event.start;
    std::vector<std::pair<Time, size_t>> order;
    for (size_t i = 0; i < profile_.events.size(); ++i) {
      const ProfiledEvent& event = profile_.events[i];
      if (event.category != EventCategory::kernel) continue;
      if (profile_.names_group(event.collective)) continue;
      if (!communicates(profile_.name(event))) continue;
      const auto asked = launched.find(event.correlation);
      order.emplace_back(asked == launched.end() ? event.start : asked->second, i);
    }
    std::ranges::stable_sort(order);
    for (const auto& [time, place] : order) {
      nameless_.push_back(place);
      kernels_.push_back(interop::nccl_kind(profile_.name(profile_.events[place])));
    }
  }

  /// A group of one rank launches nothing.
  void find_launches() {
    for (const ProfiledCollective& one : record_.launches) {
      if (one.size == 1) continue;
      launches_.push_back(&one);
    }
    if (launches_.size() > most_launches)
      launches_.erase(launches_.begin(), launches_.end() - ptrdiff_t{most_launches});
    for (const ProfiledCollective* one : launches_) kinds_.push_back(interop::nccl_kind(one->name));
  }

  bool stands_at(size_t first) const {
    for (size_t i = 0; i < kernels_.size(); ++i)
      if (!interop::may_be(kernels_[i], kinds_[first + i])) return false;
    return true;
  }

  bool are_alike(size_t one, size_t other) const {
    for (size_t i = 0; i < kernels_.size(); ++i)
      if (*launches_[one + i] != *launches_[other + i]) return false;
    return true;
  }

  std::string join() {
    std::optional<size_t> first;
    for (size_t place = 0; place + kernels_.size() <= kinds_.size(); ++place) {
      if (!stands_at(place)) continue;
      if (first && !are_alike(*first, place))
        return "the kernels of the trace stand in it in several places, which differ";
      if (!first) first = place;
    }
    if (!first) return "the kernels of the trace do not stand in it in their order";
    for (size_t i = 0; i < nameless_.size(); ++i) name(nameless_[i], *launches_[*first + i]);
    return {};
  }

  void name(size_t event, const ProfiledCollective& launch) {
    const auto [found, fresh] =
        places_.emplace(launch, static_cast<int32_t>(profile_.collectives.size()));
    if (fresh) profile_.collectives.push_back(launch);
    profile_.events[event].collective = found->second;
  }

  const FlightRecord& record_;
  RankProfile& profile_;
  std::vector<size_t> nameless_;   ///< places of events
  std::vector<NcclKind> kernels_;  ///< of these
  std::vector<const ProfiledCollective*> launches_;
  std::vector<NcclKind> kinds_;  ///< of these
  std::map<ProfiledCollective, int32_t> places_;
};

}  // namespace

std::string name_by_flight(const FlightRecord& record, RankProfile& profile) {
  return FlightNaming(record, profile).run();
}

}  // namespace pipewright::diagnose
