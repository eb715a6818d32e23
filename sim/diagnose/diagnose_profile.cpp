#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/error.hpp"
#include "base/text.hpp"
#include "diagnose/attribution.hpp"
#include "diagnose/beside_communication.hpp"
#include "diagnose/between_steps.hpp"
#include "diagnose/cause_order.hpp"
#include "diagnose/device_program.hpp"
#include "diagnose/diagnose.hpp"
#include "diagnose/launch_gaps.hpp"
#include "diagnose/layer_times.hpp"
#include "diagnose/main_groups.hpp"
#include "diagnose/overlapped_pair.hpp"
#include "diagnose/rank_operations.hpp"

namespace pipewright::diagnose {
namespace {

/// Peers of a kernel are its launches in all steps; the ideal host is never late.
std::vector<Time> ideal_of(const DeviceProgram& program, const DeviceWork& work) {
  std::map<std::pair<uint32_t, int32_t>, std::vector<OpId>> peers;
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const DeviceOp& op = work.ops[program.ops[i]];
    peers[{op.name, op.collective}].push_back(program.trace.body[i]);
  }
  std::vector<Time> lengths(program.trace.lengths.size());
  for (const auto& [kernel, bodies] : peers) {
    // Launches of one kernel differ in shape: peers are those at the same place of their step.
    std::map<size_t, std::vector<OpId>> by_place;
    std::map<size_t, size_t> next;
    for (const OpId body : bodies) by_place[next[program.trace.step[body]]++].push_back(body);
    for (const auto& [place, alike] : by_place) {
      std::vector<double> times;
      for (const OpId body : alike) times.push_back(in_seconds(program.trace.lengths[body]));
      const Time length = seconds(median_of(times));
      for (const OpId body : alike) lengths[body] = length;
    }
  }
  return lengths;
}

constexpr const char* between_remedy =
    "load data and write logs beside the steps: the device waits between two of them";
constexpr const char* first_gap_remedy =
    "load data and log beside the step before: the device waits for the first operation";

Candidate host_candidate(const char* who, const char* remedy, const std::vector<OpId>& launches) {
  Candidate candidate{
      .kind = CauseKind::host, .aspect = Aspect::host, .who = who, .remedy = remedy};
  for (const OpId launch : launches) candidate.cure.push_back({launch, Time{}});
  return candidate;
}

std::vector<Candidate> candidates_of(const DeviceProgram& program, const DeviceWork& work) {
  std::vector<Candidate> found = {
      work.has_launches
          ? host_candidate("launches of kernels",
                           "start kernels earlier: fewer and larger kernels, CUDA graphs, no "
                           "synchronisation, data loaded beforehand",
                           program.launches)
          : host_candidate("gaps between kernels",
                           "trace the host, too: nothing says whether it or another device lets "
                           "this one wait",
                           program.launches),
      host_candidate(late_begin_name, first_gap_remedy, program.begins),
      host_candidate(between_steps_name, between_remedy, program.between)};
  std::map<Traffic, Candidate> by_traffic;
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const DeviceOp& op = work.ops[program.ops[i]];
    if (!op.communicates) continue;
    by_traffic[op.traffic].cure.push_back({program.trace.body[i], Time{}});
  }
  for (auto& [traffic, candidate] : by_traffic) {
    candidate.kind = CauseKind::communication;
    candidate.aspect = Aspect::message;
    candidate.who = all_communication(traffic);
    candidate.remedy = remedy_against(traffic);
    candidate.beyond_peers = true;
    found.push_back(std::move(candidate));
  }
  for (Candidate& one : beside_communication(program, work)) found.push_back(std::move(one));
  return found;
}

/// Kernels that come at once hide what the host does between steps. It is another thing to mend all
/// the same: what it brings by itself is told, and nothing is attributed to it.
void add_between(const DeviceProgram& program, const Evidence& evidence,
                 std::vector<Cause>& causes) {
  const auto told = [](const Cause& cause) { return cause.who == between_steps_name; };
  if (std::ranges::any_of(causes, told)) return;
  std::vector<Time> lengths = evidence.lengths;
  for (const OpId launch : program.between) lengths[launch] = {};
  const auto mean_step = [&](const std::vector<Time>& of) {
    return mean_seconds(step_times(program.trace, of));
  };
  const double step = mean_step(evidence.lengths), recovered = step - mean_step(lengths);
  if (recovered < smallest_cause * step) return;
  causes.push_back({.kind = CauseKind::host,
                    .who = between_steps_name,
                    .recovered_s = recovered,
                    .share = share_of_excess(recovered, step - mean_step(evidence.ideal), true),
                    .remedy = between_remedy});
  put_in_order(causes, Peers::none);
}

constexpr int most_members = 100'000;  // of a group; tables are as long as its pipeline

int checked_size(const RankProfile& profile, const ProfiledCollective& group) {
  if (group.size > most_members)
    throw InputError(
        {profile.file, 0, 0},
        fmt::format("names a group of {} ranks; groups have at most {}", group.size, most_members));
  return std::max(1, group.size);
}

/// The group of each kind of traffic. Kernels that name no group may be DeepEP's.
FoundParallelism degrees_of(const RankProfile& profile, const DeviceWork& work) {
  FoundParallelism found;
  const auto groups = main_groups(profile, work);
  for (const auto& [traffic, degree] :
       {std::pair(Traffic::tensor, &found.tensor), std::pair(Traffic::pipeline, &found.pipeline),
        std::pair(Traffic::data, &found.data), std::pair(Traffic::expert, &found.expert),
        std::pair(Traffic::context, &found.context)})
    if (const ProfiledCollective* group = groups[static_cast<size_t>(traffic)])
      *degree = checked_size(profile, *group);
  found.data = std::max(1, found.data / context_among_data(groups));
  std::map<uint32_t, int> by_name;
  for (const DeviceOp& op : work.ops) {
    if (!op.communicates || op.collective >= 0) continue;
    const auto [known, fresh] = by_name.emplace(op.name, 0);
    if (fresh) known->second = deep_ep_ranks(profile.names[op.name]);
    found.expert = std::max(found.expert, known->second);
  }
  return found;
}

/// How many forward passes the first step has.
int forwards_of(const std::vector<TracedOperation>& operations, const DeviceWork& work) {
  return static_cast<int>(std::ranges::count_if(operations, [&](const TracedOperation& one) {
    return one.kind == OperationKind::forward && one.step == work.steps.front().number;
  }));
}

/// A part of all steps that is worth a note.
constexpr double notable = 0.05;
/// Of kernels that cannot run at once.
constexpr double jumped = 0.01;

/// Names of kernels with all their types fill a screen.
std::string shortened(const std::string& name) {
  constexpr size_t shown = 60;
  return name.size() > shown ? name.substr(0, shown) + "..." : name;
}

/// What waits though its stream and its host are ready: nothing in the trace says for what.
void add_unexplained(const RankProfile& profile, const DeviceProgram& program,
                     const DeviceWork& work, Diagnosis& diagnosis) {
  std::map<uint32_t, double> before;  // by the name of what waits
  double all = 0, steps = 0;
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const double gap = in_seconds(program.trace.lengths[program.trace.gap[i]]);
    before[work.ops[program.ops[i]].name] += gap;
    all += gap;
  }
  for (const DeviceStep& step : work.steps) steps += in_seconds(step.end - step.begin);
  if (all <= notable * steps) return;
  const auto most =
      std::ranges::max_element(before, {}, [](const auto& one) { return one.second; });
  diagnosis.notes.push_back(fmt::format(
      "streams stand still for {:.0f} % of the time though their host has asked for more, most of "
      "it "
      "before '{}': kernels that the profiler does not show, or other devices, hold them up",
      100 * all / steps, shortened(profile.names[most->first])));
}

/// Times that cannot be: clocks jumped, or devices and hosts do not share one.
void add_clock_notes(const DeviceWork& work, Diagnosis& diagnosis) {
  Time steps;
  for (const DeviceStep& step : work.steps) steps += step.end - step.begin;
  if (static_cast<double>(work.early) > notable * static_cast<double>(work.ops.size()))
    diagnosis.notes.push_back(fmt::format(
        "{} of {} kernels start before their host launched them: the clocks of device and host do "
        "not agree, and what the host costs is not known",
        work.early, work.ops.size()));
  if (in_seconds(work.overlapping) > jumped * in_seconds(steps))
    diagnosis.notes.push_back(fmt::format(
        "kernels of one stream run beside each other for {:.0f} % of the time: the clock of the "
        "trace ran backwards, and no time of it is sure",
        100 * in_seconds(work.overlapping) / in_seconds(steps)));
}

void add_notes(const RankProfile& profile, const DeviceWork& work, Diagnosis& diagnosis) {
  const bool communicates = std::ranges::any_of(work.ops, &DeviceOp::communicates);
  if (profile.world > 1)
    diagnosis.notes.push_back(
        communicates
            ? fmt::format("the trace is of one rank of {}: what it waits for in others is in its "
                          "communication",
                          profile.world)
            : fmt::format(
                  "the trace is of one rank of {} and shows no communication: what it waits "
                  "for in others looks like waiting for its host",
                  profile.world));
  if (work.cut_off > 0)
    diagnosis.notes.push_back(
        fmt::format("{} at the ends of the trace {} not whole and {} left out",
                    work.cut_off == 1 ? "a step" : "2 steps", work.cut_off == 1 ? "is" : "are",
                    work.cut_off == 1 ? "was" : "were"));
  if (work.warm_up > Time{})
    diagnosis.notes.push_back(
        fmt::format("the first step took {}, longer than any two others together, and was left out",
                    human_time(in_seconds(work.warm_up))));
  add_clock_notes(work, diagnosis);
  if (!work.has_launches)
    diagnosis.notes.push_back("the trace has no launches: what hosts cost is not known");
  if (std::ranges::any_of(work.ops, [&](const DeviceOp& op) {
        return op.communicates && !profile.names_group(op.collective);
      }))
    diagnosis.notes.push_back(
        "collectives without their groups (PyTorch before 2.1, or libraries other than NCCL) were "
        "named by their calls and kernels");
}

/// Alternating kernels of a pair look like many short passes.
void tell_pair(const DeviceWork& work, Diagnosis& diagnosis) {
  if (diagnosis.micro_batches < 2 || diagnosis.parallel.pipeline > 1) return;
  if (!is_overlapped_pair(work)) return;
  diagnosis.micro_batches = 1;
  diagnosis.notes.push_back(
      "a forward and a backward pass run as one overlapped pair: exchanges of tokens are hidden "
      "behind kernels of both directions. dualpipe and dualpipe-v run such pairs, and 1f1b with "
      "overlapped experts; without "
      "messages of a pipeline nothing tells which");
}

void add_steps(const RankProfile& profile, const DeviceWork& work,
               const std::vector<Time>& simulated, const std::vector<Time>& ideal,
               Diagnosis& diagnosis) {
  std::vector<Time> measured;
  for (size_t i = 0; i < work.steps.size(); ++i) {
    const DeviceStep& step = work.steps[i];
    measured.push_back(step.end - step.begin);
    diagnosis.steps.push_back(
        {step.number, in_seconds(measured.back()), in_seconds(simulated[i]), in_seconds(ideal[i])});
  }
  diagnosis.typical.measured_s = median_seconds(measured);
  diagnosis.typical.simulated_s = median_seconds(simulated);
  diagnosis.typical.ideal_s = median_seconds(ideal);
  if (const double best = mean_seconds(ideal); best > 0)
    diagnosis.typical.slowdown = mean_seconds(simulated) / best;
  if (diagnosis.typical.measured_s > 0)
    diagnosis.typical.explained_fraction = std::clamp(
        1 - std::abs(1 - diagnosis.typical.simulated_s / diagnosis.typical.measured_s), 0.0, 1.0);
  std::vector<size_t> order(measured.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return measured[i]; });
  const size_t typical = order[(order.size() - 1) / 2];
  diagnosis.breakdown = scaled(account_of(work, typical), seconds(diagnosis.typical.measured_s));
  diagnosis.kernels = kernel_kinds(profile, work, typical);
  diagnosis.names = kernel_names(profile, work, typical);
  diagnosis.layers = layer_times(work, typical);
}

}  // namespace

Diagnosis diagnose_profile(const RankProfile& profile) {
  const DeviceWork work = device_work(profile);
  return diagnose_profile(profile, work, operations_of(profile, work, {}).operations);
}

Diagnosis diagnose_profile(const RankProfile& profile, const DeviceWork& work,
                           const std::vector<TracedOperation>& operations) {
  const DeviceProgram program = program_of(work);
  const MeasuredJob nobody;
  const Evidence evidence{nobody, program.trace, without_gaps(program.trace),
                          ideal_of(program, work)};
  Diagnosis diagnosis{.source = profile.file};
  diagnosis.schedule.name = "unknown";
  diagnosis.parallel = degrees_of(profile, work);
  diagnosis.micro_batches = forwards_of(operations, work);
  add_steps(profile, work, step_times(program.trace, evidence.lengths),
            step_times(program.trace, evidence.ideal), diagnosis);
  diagnosis.ranks.push_back({.breakdown = diagnosis.breakdown});
  diagnosis.causes = attribute(evidence, candidates_of(program, work));
  add_between(program, evidence, diagnosis.causes);
  add_notes(profile, work, diagnosis);
  tell_pair(work, diagnosis);
  add_unexplained(profile, program, work, diagnosis);
  return diagnosis;
}

}  // namespace pipewright::diagnose
