#include "diagnose/launch_gaps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace pipewright::diagnose {
namespace {

constexpr double most = 0.8;  // of all that hosts cost

/// By op, whether it is a gap that nothing of its iteration comes before.
std::vector<bool> first_gaps(const MeasuredProgram& trace) {
  std::vector<bool> is_first(trace.lengths.size());
  for (const OpId gap : trace.begins) is_first[gap] = true;
  return is_first;
}

constexpr const char* begin_remedy =
    "load data and log beside the step before: devices wait for the first operation";
constexpr const char* launch_remedy =
    "start kernels earlier: fewer and larger kernels, CUDA graphs, no synchronisation";

/// Of ranks and of stages, how many are tried at most: no more can be among the largest causes.
constexpr size_t most_places = 8;

struct LateHost {
  std::string where;  ///< "", ", stage 2"
  Time late;
  Lengths begin, others;

  /// `rest`: what of the gap is not its host's.
  void add(OpId gap, Time length, Time rest, bool is_first) {
    late += length;
    (is_first ? begin : others).push_back({gap, rest});
  }
};

void add_candidates(LateHost place, std::vector<Candidate>& found) {
  for (auto& [what, remedy, cure] :
       {std::tuple(late_begin_name, begin_remedy, &place.begin),
        std::tuple("launches of kernels", launch_remedy, &place.others)})
    if (!cure->empty())
      found.push_back({.kind = CauseKind::host,
                       .aspect = Aspect::host,
                       .who = what + place.where,
                       .remedy = place.where.empty()
                                     ? remedy
                                     : remedy + (" (look at" + place.where.substr(1)) + ")",
                       .cure = std::move(*cure)});
}

template <class Places>
void add_latest(Places places, std::vector<Candidate>& found) {
  std::vector<LateHost> all;
  for (auto& [number, place] : places) all.push_back(std::move(place));
  std::ranges::stable_sort(all, std::greater{}, &LateHost::late);
  if (all.size() > most_places) all.resize(most_places);
  for (LateHost& place : all) add_candidates(std::move(place), found);
}

}  // namespace

std::vector<Candidate> late_hosts(const Evidence& evidence) {
  const MeasuredProgram& trace = evidence.trace;
  if (trace.late.empty()) return {};
  const std::vector<bool> is_first = first_gaps(trace);
  LateHost all;
  std::map<int, LateHost> stages, ranks;
  size_t next = 0;
  evidence.for_each([&](const TracedOperation& one, OpId) {
    const OpId gap = trace.gap[next++];
    const Time late = trace.late[gap];
    if (late <= Time{}) return;
    // Of the first pass, what holds it up within may be more than what comes before it.
    LateHost& stage = stages[one.stage];
    LateHost& rank = ranks[evidence.job.rank_of(one)];
    stage.where = fmt::format(", stage {}", one.stage);
    rank.where = fmt::format(", data rank {}, stage {}", one.dp_rank, one.stage);
    for (LateHost* place : {&all, &stage, &rank})
      place->add(gap, late, std::max(evidence.lengths[gap] - late, Time{}),
                 is_first[gap] && 2 * one.held.ps < late.ps);
  });
  // Of several that change the same ops the first is taken: it says most.
  std::vector<Candidate> found;
  if (evidence.job.ranks() > 1) add_latest(std::move(ranks), found);
  if (evidence.job.stages > 1) add_latest(std::move(stages), found);
  add_candidates(std::move(all), found);
  return found;
}

std::vector<Cause> launch_gaps(const Evidence& evidence) {
  const MeasuredProgram& trace = evidence.trace;
  const std::vector<bool> is_first = first_gaps(trace);
  const auto run_without = [&](bool first, bool others) {
    std::vector<Time> lengths = trace.lengths;
    for (const OpId gap : trace.gap)
      if (is_first[gap] ? first : others) lengths[gap] = {};
    return mean_seconds(step_times(trace, lengths));
  };
  const double all = run_without(false, false), none = run_without(true, true);
  const double late_begin = all - run_without(true, false);
  const double late_others = all - run_without(false, true);
  const auto cause = [](const char* who, double recovered, double attributed,
                        const char* remedy) -> Cause {
    return {.kind = CauseKind::host,
            .who = who,
            .recovered_s = recovered,
            .attributed_s = attributed,
            .remedy = remedy};
  };
  const Cause begin = cause(late_begin_name, late_begin, late_begin, begin_remedy);
  const Cause others = cause(launch_gaps_name, late_others, all - none - late_begin, launch_remedy);
  std::vector<Cause> found = {begin, others};
  // Where nearly all is one's, the other only hides a part of it.
  if (std::max(late_begin, late_others) >= most * (all - none)) {
    found = {late_begin > late_others ? begin : others};
    found.front().recovered_s = found.front().attributed_s = all - none;
  }
  std::erase_if(found, [&](const Cause& one) { return one.recovered_s < smallest_cause * all; });
  return found;
}

}  // namespace pipewright::diagnose
