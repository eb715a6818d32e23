#include "search/space.hpp"

namespace pipewright::search {
namespace {

constexpr int micro_batches[] = {1, 2, 4, 8};

bool divides(int64_t part, int64_t whole) { return part > 0 && whole % part == 0; }

/// Fills in what follows from degrees and micro-batch; false where the batch does not divide.
bool settle(const Given& given, Candidate& c) {
  const int each = c.tensor * c.pipeline * given.context;
  if (!divides(each, given.devices)) return false;
  c.data = given.devices / each;
  c.zero = c.data > 1;
  return divides(int64_t{c.data} * c.micro, given.global);
}

std::vector<config::Value> usual_schedules() {
  return {schedule_named("1f1b"), schedule_named("zb-h1"),
          schedule_named("{name: interleaved-1f1b, virtual: 2}"),
          schedule_named("{name: interleaved-1f1b, virtual: 4}")};
}

void add(const Given& given, Candidate c, const std::vector<config::Value>& schedules,
         const std::vector<std::string>& recompute, std::vector<Candidate>& all) {
  if (!settle(given, c)) return;
  c.balanced = given.blocks == 0 || given.blocks % c.pipeline != 0;
  for (const std::string& redo : recompute) {
    c.recompute = redo;
    for (const config::Value& schedule : schedules) {
      c.schedule = schedule;
      all.push_back(c);
      if (c.pipeline == 1) break;  // one stage leaves nothing to order
    }
  }
}

}  // namespace

std::vector<int> divisors(int n) {
  std::vector<int> all;
  for (int d = 1; d <= n; ++d)
    if (n % d == 0) all.push_back(d);
  return all;
}

config::Value schedule_named(const std::string& yaml) { return config::parse(yaml, "a planner"); }

std::vector<Candidate> megatron_space(const Problem& problem) {
  const Given given = given_by(problem);
  const std::vector<config::Value> schedules =
      problem.schedules.empty() ? usual_schedules() : problem.schedules;
  std::vector<std::string> recompute = {""};
  if (given.transformer) recompute = {"none", "selective", "full"};
  std::vector<Candidate> all;
  for (const int tensor : divisors(given.devices_per_node)) {
    if (tensor > 1 && (!given.transformer || !divides(tensor, given.heads))) continue;
    for (const int pipeline : divisors(given.devices / tensor)) {
      if (given.blocks > 0 && pipeline > given.blocks) break;
      for (const int micro : micro_batches)
        add(given, {.tensor = tensor, .pipeline = pipeline, .micro = micro}, schedules, recompute,
            all);
    }
  }
  return all;
}

std::vector<Candidate> pipelines(const Problem& problem,
                                 const std::vector<config::Value>& schedules,
                                 const std::vector<std::string>& recompute) {
  const Given given = given_by(problem);
  std::vector<std::string> redo = recompute;
  if (!given.transformer) redo = {""};
  std::vector<Candidate> all;
  for (const int pipeline : divisors(given.devices)) {
    if (given.blocks > 0 && pipeline > given.blocks) break;
    for (int micro = 1; micro <= given.global && micro <= 64; micro *= 2)
      add(given, {.pipeline = pipeline, .micro = micro}, schedules, redo, all);
  }
  return all;
}

}  // namespace pipewright::search
