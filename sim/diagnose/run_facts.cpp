#include "diagnose/run_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "diagnose/missing_parts.hpp"

namespace pipewright::diagnose {
namespace {

using SliceKind = RunSliceKind;

/// One that is like another may stand for it, whatever it is called.
void tell_replicas(const RunTrace& trace, const RunGroups& places, JobTrace& job) {
  std::set<int32_t> shown;
  for (size_t rank = 0; rank < trace.ranks.size(); ++rank) shown.insert(places.place_of(rank).data);
  if (shown.size() > 1 && static_cast<int>(shown.size()) < job.degrees.data)
    job.notes.push_back(
        fmt::format("{} of {} replicas are in this trace: one stands for others "
                    "that are like it",
                    shown.size(), job.degrees.data));
}

}  // namespace

void tell_facts(const RunTrace& trace, const RunGroups& places, JobTrace& job) {
  job.expert_ranks = places.sharing_experts();
  for (size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    const RunTraceRank& place = places.place_of(rank);
    RankFacts& facts = job.facts[{place.data, place.pipeline}];
    if (place.device >= 0) facts.group.push_back(place.device);
    if (!places.stands_for_all(rank)) continue;
    facts.device = place.device;
    facts.devices = place.devices;
    facts.replicas = places.replicas_of(rank);
  }
  for (const RunSlice& slice : trace.slices)
    if (slice.kind == SliceKind::data_sum && places.stands_for_all(slice.rank))
      job.facts[{places.place_of(slice.rank).data, places.place_of(slice.rank).pipeline}]
          .gradient_bytes += slice.bytes;
  std::map<int32_t, int> replicas;  // by stage
  for (const auto& [place, facts] : job.facts) {
    replicas[place.second] += facts.replicas;
    job.degrees.data = std::max(job.degrees.data, replicas[place.second]);
  }
}

void add_notes(const RunTrace& trace, const RunGroups& places, const RunIterations& iterations,
               const std::vector<std::vector<PassSpan>>& spans, JobTrace& job) {
  job.notes = places.notes();
  tell_replicas(trace, places, job);
  if (std::string note = iterations.note(); !note.empty()) job.notes.push_back(std::move(note));
  std::vector<std::string> missing = missing_parts(trace, spans);
  job.lacks = !missing.empty();
  if (job.lacks) job.degrees.whole = false;
  std::ranges::move(missing, std::back_inserter(job.notes));
  if (trace.repeats)
    job.notes.push_back(
        "periods that repeat stand once in this trace; 'simulate --every-micro-batch --trace' "
        "writes them all");
}

}  // namespace pipewright::diagnose
