#include "diagnose/diagnose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "diagnose/attribution.hpp"
#include "diagnose/balanced_layout.hpp"
#include "diagnose/between_steps.hpp"
#include "diagnose/cause_order.hpp"
#include "diagnose/clocks.hpp"
#include "diagnose/expert_imbalance.hpp"
#include "diagnose/falling_clocks.hpp"
#include "diagnose/far_clocks.hpp"
#include "diagnose/joined_steps.hpp"
#include "diagnose/launch_gaps.hpp"
#include "diagnose/paired_passes.hpp"
#include "diagnose/rebuilt_job.hpp"
#include "diagnose/recognise_schedule.hpp"
#include "diagnose/schedule_bubble.hpp"
#include "diagnose/shifted_clocks.hpp"
#include "diagnose/slow_exchanges.hpp"
#include "diagnose/transfers.hpp"
#include "diagnose/usual_collectives.hpp"
#include "result/accounts/accounts.hpp"

namespace pipewright::diagnose {
namespace {

ClockFinding align_clocks(MeasuredJob& job) {
  const double far = bring_near(job);
  const Clocks clocks = compare_clocks(job);
  const auto [first, last] = std::ranges::minmax(job.operations, {}, &TracedOperation::start);
  return {.groups = clocks.groups,
          .largest_s = std::max(far, clocks.largest(first.start, last.start)),
          .error_s = clocks.error_s,
          .aligned = align(job, clocks)};
}

/// A trace on one clock needs no alignment, unless messages arrive before they leave.
void check_clock(MeasuredJob& job, Diagnosis& diagnosis) {
  const ShiftedClocks found = shift_clocks(job);
  if (!found.contradiction.empty())
    throw InputError({diagnosis.source, 0, 0}, "these seem to be two jobs: " + found.contradiction);
  if (found.ranks == 0) return;
  diagnosis.clocks.largest_s = found.largest_s;
  diagnosis.clocks.aligned = found.ranks;
  diagnosis.notes.push_back(fmt::format(
      "messages arrived before they had left: the clocks of {} {} were off by up to {} and are "
      "aligned",
      found.ranks, found.ranks == 1 ? "rank" : "ranks", human_time(found.largest_s)));
}

/// The step whose length is the median, of an even number the shorter of the two.
size_t typical_step(const std::vector<Time>& lengths) {
  std::vector<size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t step) { return lengths[step]; });
  return order[(order.size() - 1) / 2];
}

double compute_of(const Breakdown& breakdown) { return in_seconds(breakdown.computing()); }

/// Passes are no compute where they wait for communication within.
void take_communication_out(const MeasuredJob& job, size_t iteration, int rank,
                            Breakdown& account) {
  const auto found =
      job.within.find({rank / job.stages, rank % job.stages, job.iteration_number(iteration)});
  if (found == job.within.end()) return;
  for (size_t kind = 0; kind < compute_kinds; ++kind) {
    const Time part = std::min(found->second.compute[kind], account.compute[kind]);
    account.compute[kind] -= part;
    account.bubble += part;
  }
  for (size_t kind = 0; kind < traffic_kinds; ++kind) {
    const Time part = std::min(found->second.exposed[kind], account.bubble);
    account.exposed[kind] += part;
    account.bubble -= part;
  }
}

/// The part of the measured program of its step that an iteration is.
Window window_of(const MeasuredJob& job, size_t iteration, const std::vector<Time>& measured) {
  Time begin;
  for (size_t one = 0; one < iteration && !job.run_on.empty(); ++one) begin += measured[one];
  return {begin, begin + measured[iteration], measured[iteration]};
}

/// Accounts are of the step `iteration`, as long as the measured one: of an even number of steps
/// the median lies between two.
void add_accounts(const MeasuredJob& job, size_t iteration, const std::vector<Time>& measured,
                  Diagnosis& diagnosis) {
  const MeasuredProgram one = program_of(job, {job.run_on.empty() ? iteration : 0});
  std::vector<Breakdown> by_rank =
      accounts(one.program, one.measured, window_of(job, iteration, measured), MeasuredShares());
  for (int rank = 0; rank < job.ranks(); ++rank) {
    Breakdown& own = by_rank[static_cast<size_t>(rank)];
    take_communication_out(job, iteration, rank, own);
    own = scaled(own, seconds(diagnosis.typical.measured_s));
  }
  diagnosis.breakdown = mean_account(one.program, by_rank);
  const double mean = compute_of(diagnosis.breakdown);
  for (int rank = 0; rank < job.ranks(); ++rank) {
    if (one.program.ranks[static_cast<size_t>(rank)].multiplicity == 0) continue;
    const Breakdown& own = by_rank[static_cast<size_t>(rank)];
    diagnosis.ranks.push_back(
        {.data = rank / job.stages,
         .stage = rank % job.stages,
         .relative_compute = mean > 0 ? compute_of(own) / mean : 1,
         .breakdown = own,
         .replicas = job.facts_of(rank / job.stages, rank % job.stages).replicas});
  }
}

/// Whether chunks go around the ranks, as they do where no placement says anything else.
bool goes_around(const Placement& placement) {
  for (size_t rank = 0; rank < placement.size(); ++rank)
    for (size_t chunk = 0; chunk < placement[rank].size(); ++chunk)
      if (static_cast<size_t>(placement[rank][chunk]) != chunk * placement.size() + rank)
        return false;
  return true;
}

/// Finds the job's degrees, its schedule and, by that, which stages of the model its ranks have.
void recognise(MeasuredJob& job, const FoundParallelism& known, Diagnosis& diagnosis) {
  diagnosis.parallel = known;
  diagnosis.parallel.pipeline = job.stages;
  diagnosis.parallel.data = std::max(job.data, known.data);
  diagnosis.parallel.chunks = job.chunks;
  diagnosis.micro_batches = micro_batches(job) / job.slices;
  const RecognisedSchedule found = recognise_schedule(job);
  diagnosis.schedule = {found.name, found.distance, found.passes, found.deviation};
  mark_pairs(job, found.pairs);
  if (!job.placement.empty() || found.placement.empty() || goes_around(found.placement)) return;
  job.placement = found.placement;
  name_chunks(job);
}

std::vector<Candidate> candidates_of(const Evidence& evidence) {
  std::vector<Candidate> all;
  for (auto* find : {slow_clocks, slow_places, unequal_sequences, slow_communication,
                     slow_exchanges, pauses, unbalanced_experts, late_hosts}) {
    std::vector<Candidate> found = find(evidence);
    std::ranges::move(found, std::back_inserter(all));
  }
  return all;
}

void add_times(const MeasuredJob& job, const std::vector<Time>& measured,
               const std::vector<Time>& simulated, const std::vector<Time>& ideal,
               Diagnosis& diagnosis) {
  for (size_t step = 0; step < measured.size(); ++step)
    diagnosis.steps.push_back({job.iteration_number(step), in_seconds(measured[step]),
                               in_seconds(simulated[step]), in_seconds(ideal[step])});
  diagnosis.typical.measured_s = median_seconds(measured);
  diagnosis.typical.simulated_s = median_seconds(simulated);
  diagnosis.typical.ideal_s = median_seconds(ideal);
  if (const double best = mean_seconds(ideal); best > 0)
    diagnosis.typical.slowdown = mean_seconds(simulated) / best;
  const double apart = std::abs(diagnosis.typical.measured_s - diagnosis.typical.simulated_s);
  diagnosis.typical.explained_fraction =
      diagnosis.typical.measured_s > 0 ? std::max(0.0, 1 - apart / diagnosis.typical.measured_s)
                                       : 1;
}

/// Links are compared with each other.
bool has_one_link(const MeasuredJob& job) {
  return job.stages == 2 && job.data == 1 &&
         std::ranges::any_of(job.operations, is_transfer, &TracedOperation::kind);
}

/// By stage of the model; empty where they are not known.
std::vector<int> layers_by_stage(const KnownLayers& known, const MeasuredJob& job,
                                 const std::string& source) {
  const auto stages = static_cast<size_t>(job.model_stages());
  if (known.empty() || known.size() == stages) return known;
  if (known.size() == 1 && known.front() < static_cast<int>(stages))
    throw InputError({source, 0, 0}, fmt::format("has {} stages, and --layers gives {} in all: "
                                                 "layers are at least as many as stages",
                                                 stages, known.front()));
  if (known.size() > 1 || known.front() % static_cast<int>(stages) != 0)
    throw InputError(
        {source, 0, 0},
        fmt::format("has {} stages: name the number of layers of each, as in 8,8,7,...", stages));
  return std::vector<int>(stages, known.front() / static_cast<int>(stages));
}

void run(const MeasuredJob& job, const std::vector<Time>& measured, const std::vector<int>& layers,
         Diagnosis& diagnosis) {
  std::vector<size_t> all(job.steps.size());
  std::iota(all.begin(), all.end(), size_t{0});
  const MeasuredProgram trace = program_of(job, all);
  if (trace.unmatched > 0)
    diagnosis.notes.push_back(
        fmt::format("{} sends and receives belong to no pass, and were left out", trace.unmatched));
  if (has_one_link(job))
    diagnosis.notes.push_back(
        "all messages go over one link: its directions were compared, but whether it is slow in "
        "both "
        "cannot be told");
  std::vector<Time> lengths = without_gaps(trace), ideal = ideal_lengths(trace);
  hold_against_other_stages(job, trace, ideal);
  keep_hosts(trace, lengths);
  // Gaps may be waits for what the trace lacks.
  if (job.lacks)
    for (std::vector<Time>* all : {&lengths, &ideal}) keep_gaps(trace, *all);
  const Evidence evidence{job, trace, lengths, std::move(ideal),
                          falling_clocks(job, trace, lengths)};
  add_times(job, measured, step_times(trace, evidence.lengths), step_times(trace, evidence.ideal),
            diagnosis);
  diagnosis.rebuilt = rebuilt_job(evidence, diagnosis.schedule.name);
  diagnosis.causes = attribute(evidence, candidates_of(evidence));
  diagnosis.no_layout = advise_layout(evidence, layers, diagnosis.causes);
  if (!job.lacks && !job.knows_hosts)
    for (Cause& cause : launch_gaps(evidence)) diagnosis.causes.push_back(std::move(cause));
  for (Cause& cause : between_steps(job, mean_seconds(step_times(trace, lengths))))
    diagnosis.causes.push_back(std::move(cause));
  if (auto cause = schedule_bubble(job, job.run_on.empty() ? typical_step(measured) : 0,
                                   diagnosis.schedule.name))
    diagnosis.causes.push_back(std::move(*cause));
  put_in_order(diagnosis.causes, peers_in(job));
}

}  // namespace

Diagnosis diagnose_operations(std::vector<TracedOperation> operations, const std::string& source,
                              const KnownLayers& layers) {
  return diagnose_job({.operations = std::move(operations)}, source, layers);
}

Diagnosis diagnose_job(JobTrace trace, const std::string& source, const KnownLayers& layers) {
  const bool one_clock = trace.one_clock;
  const FoundParallelism known = trace.degrees;
  MeasuredJob job = measured_job(std::move(trace), source);
  Diagnosis diagnosis{.source = source};
  recognise(job, known, diagnosis);
  diagnosis.notes = job.notes;
  if (!one_clock)
    diagnosis.clocks = align_clocks(job);
  else
    check_clock(job, diagnosis);
  join_steps(job);
  const std::vector<Time> measured = iteration_times(job);
  const size_t typical = typical_step(measured);
  if (const double step = in_seconds(measured[typical]); diagnosis.clocks.largest_s > step)
    diagnosis.notes.push_back(fmt::format(
        "clocks of ranks are apart by {}, more than a step: they were aligned by what ends "
        "together, which may be of other steps",
        human_time(diagnosis.clocks.largest_s)));
  try {
    run(job, measured, layers_by_stage(layers, job, source), diagnosis);
    add_accounts(job, typical, measured, diagnosis);
  } catch (const Failure&) {
    throw InputError({source, 0, 0},
                     "its operations cannot have run in this order: some wait for each other in a "
                     "circle. These seem to be two jobs, or the clock of a rank runs backwards");
  }
  return diagnosis;
}

}  // namespace pipewright::diagnose
