#include "diagnose/slow_collectives.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

namespace pipewright::diagnose {
namespace {

std::string group_of(const TracedOperation& one) {
  return fmt::format("{}, stage {}", name_of(one.kind), one.stage);
}

std::string remedy_of(const std::string& group) {
  return fmt::format(
      "look at the links and NICs between the data ranks of {}: its collectives take longer than "
      "the median of their kind",
      group);
}

/// Passes that are compared between stages: of one direction, chunk and micro-batch. Weights may be
/// gathered for the first of several.
using PassOfMicroBatch = std::tuple<OperationKind, int32_t, int32_t>;

PassOfMicroBatch kind_of(const Lockstep::Pass& pass) {
  return {pass.kind, pass.chunk, pass.micro_batch};
}

/// By kind of pass and stage, the median of what passes wait for bytes, in seconds.
std::map<PassOfMicroBatch, std::map<int32_t, double>> waits_by_stage(const Lockstep& lockstep) {
  std::map<PassOfMicroBatch, std::map<int32_t, std::vector<double>>> all;
  for (const Lockstep::Pass& pass : lockstep.passes())
    all[kind_of(pass)][pass.stage].push_back(in_seconds(pass.gathers));
  std::map<PassOfMicroBatch, std::map<int32_t, double>> medians;
  for (auto& [kind, stages] : all)
    for (auto& [stage, times] : stages) medians[kind][stage] = median_of(std::move(times));
  return medians;
}

/// The median over the other stages of a job of `count`; that of `stage` where it is the only one.
/// Passes that are in no lockstep wait for nothing.
double usual_of(const std::map<int32_t, double>& stages, int32_t stage, int count) {
  if (count == 1) return stages.at(stage);
  std::vector<double> others;
  for (const auto& [other, time] : stages)
    if (other != stage) others.push_back(time);
  others.resize(static_cast<size_t>(count) - 1);
  return median_of(std::move(others));
}

}  // namespace

void SlowCollectives::Stage::note(double own, double usual) {
  own_s += own;
  usual_s += usual;
  if (usual > 0) seen_s += own;
}

void SlowCollectives::add(const TracedOperation& one, OpId body) {
  const Time usual = evidence_.ideal[body];
  const std::string group = group_of(one);
  const auto [part, fresh] = groups_.try_emplace(group, SlowPart{.who = group});
  if (fresh) part->second.remedy = remedy_of(fmt::format("stage {}", one.stage));
  part->second.add(evidence_, body, usual);
  all_.add(evidence_, body, usual);
  if (one.bytes == 0) return;  // nobody knows whether those of other stages are like it
  Stage& stage = stages_[one.stage];
  stage.note(in_seconds(evidence_.lengths[body]), in_seconds(usual));
  stage.part.add(evidence_, body, usual);
}

void SlowCollectives::add(const Lockstep& lockstep) {
  const auto waits = waits_by_stage(lockstep);
  for (const Lockstep::Pass& pass : lockstep.passes()) {
    const double usual = usual_of(waits.at(kind_of(pass)), pass.stage, evidence_.job.stages);
    const Time wait = std::min(pass.gathers, seconds(usual));
    Stage& stage = stages_[pass.stage];
    stage.note(in_seconds(pass.gathers), usual);
    stage.part.add(evidence_, pass.body, pass.length - pass.gathers + wait);
  }
}

std::vector<Candidate> SlowCollectives::finish() && {
  std::map<std::string, SlowPart> slow;
  if (SlowPart part = slow_stages(); !part.who.empty()) slow[part.who] = std::move(part);
  all_.remedy = remedy_of("each stage");
  std::vector<Candidate> found = slow_parts(groups_, std::move(all_));
  std::vector<Candidate> of_stages = slow_parts(slow, {});
  std::ranges::move(of_stages, std::back_inserter(found));
  return found;
}

/// All of the stages together whose collectives take far longer than those of the others: one link
/// may slow several groups, and a step waits for each of them.
SlowPart SlowCollectives::slow_stages() {
  SlowPart all;
  std::vector<int> numbers;
  double seen_s = 0, usual_s = 0;
  for (auto& [number, stage] : stages_) {
    if (stage.own_s <= notable_part * stage.usual_s) continue;
    numbers.push_back(number);
    seen_s += stage.seen_s;
    usual_s += stage.usual_s;
    all.lost_s += stage.part.lost_s;
    std::ranges::copy(stage.part.cure, std::back_inserter(all.cure));
  }
  if (numbers.empty() || static_cast<int>(numbers.size()) == evidence_.job.stages) return {};
  const std::string stages = counted_name("stage", numbers);
  all.who = "data collectives of " + stages;
  all.remedy = fmt::format(
      "look at the links and NICs of the data ranks of {}: their collectives take {} those of "
      "other stages",
      stages,
      usual_s > 0 ? fmt::format("{:.1f} times as long as", seen_s / usual_s) : "longer than");
  return all;
}

}  // namespace pipewright::diagnose
