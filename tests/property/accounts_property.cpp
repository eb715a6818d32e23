// Every picosecond of every device is in one place of its account, the right one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "result/result.hpp"
#include "run/execute.hpp"
#include "run/prepare.hpp"
#include "schedule/kinds/kinds.hpp"
#include "support/experiments.hpp"
#include "support/one_of.hpp"
#include "support/run_schedule.hpp"

namespace pipewright::test {
namespace {

/// The definition, word for word: picosecond by picosecond, with the whole closure of the program's
/// dependencies.
class BruteForce {
 public:
  BruteForce(const Program& program, const Timeline& timeline)
      : program_(program), timeline_(timeline) {
    const size_t count = program.ops.size();
    before_.assign(count, std::vector<bool>(count));
    for (bool changed = true; changed;) {
      changed = false;
      for (OpId op = 0; op < count; ++op)
        for (const Edge edge : program.after(op)) changed |= add(op, edge.to());
    }
  }

  Breakdown account(uint32_t rank, LaneId lane, Time end) const {
    Breakdown breakdown;
    for (Time t; t < end; t += picoseconds(1)) place(rank, lane, t, breakdown) += picoseconds(1);
    return breakdown;
  }

 private:
  /// `op` and all before it are before `next`.
  bool add(OpId op, OpId next) {
    bool changed = !before_[next][op];
    before_[next][op] = true;
    for (OpId other = 0; other < program_.ops.size(); ++other) {
      if (!before_[op][other] || before_[next][other]) continue;
      before_[next][other] = changed = true;
    }
    return changed;
  }

  bool takes_part(uint32_t rank, OpId op) const {
    const Op& o = program_.ops[op];
    switch (program_.type(op).kind) {
      case OpKind::transfer:
        return o.rank == rank || o.peer == rank;
      case OpKind::copy:
        return o.rank == rank;
      case OpKind::collective: {
        const std::vector<int32_t>& group = program_.groups[o.peer];
        return std::count(group.begin(), group.end(), program_.ranks[rank].device) > 0;
      }
      default:
        return false;
    }
  }

  Time& place(uint32_t rank, LaneId lane, Time t, Breakdown& breakdown) const {
    OpId next = none;
    for (const OpId op : program_.order(lane)) {
      const OpKind kind = program_.type(op).kind;
      const Span& span = timeline_.spans[op];
      if (kind != OpKind::compute && kind != OpKind::step) continue;
      if (span.start <= t && t < span.end)
        return kind == OpKind::step ? breakdown[ComputeKind::optimizer]
                                    : breakdown[kind_of(program_.type(op).pass)];
      if (next == none && span.start > t) next = op;
    }
    OpId last = none;
    for (OpId op = 0; op < program_.ops.size(); ++op) {
      const Span& span = timeline_.spans[op];
      const bool waits = next == none || before_[next][op];
      if (!takes_part(rank, op) || !waits || span.start > t || t >= span.end) continue;
      if (last == none || ends_later(op, last)) last = op;
    }
    return last == none ? breakdown.bubble : breakdown[program_.type(last).traffic];
  }

  bool ends_later(OpId a, OpId b) const {
    const Time end_a = timeline_.spans[a].end, end_b = timeline_.spans[b].end;
    if (end_a != end_b) return end_a > end_b;
    return program_.type(a).traffic < program_.type(b).traffic;
  }

  const Program& program_;
  const Timeline& timeline_;
  std::vector<std::vector<bool>> before_;
};

Segments segments(std::mt19937_64& random, bool tensor) {
  Segments all;
  for (uint64_t k = 0; k <= random() % 2; ++k) {
    Segment& segment = all.emplace_back(Segment{{Work{.fixed = {1 + int64_t(random() % 9)}}}, {}});
    if (tensor && random() % 2)
      segment.collective = CollectiveWork{CollectiveKind::all_reduce, Axis::tensor, Bytes{1}};
  }
  return all;
}

Program some_program(std::mt19937_64& random, const char* kind) {
  const int pipeline = one_of(random, {2, 4}), tensor = one_of(random, {1, 2});
  const int data = one_of(random, {1, 2});
  const Schedule schedule =
      schedule::build({.ranks = pipeline, .micro_batches = 4}, config::parse(kind, "kind"));
  LoweringInput input{.schedule = schedule};
  for (int stage = 0; stage < schedule.stages * schedule.slices; ++stage)
    input.stages.push_back({.forward = segments(random, tensor > 1),
                            .backward = segments(random, tensor > 1),
                            .input_gradient = segments(random, tensor > 1),
                            .weight_gradient = segments(random, tensor > 1),
                            .forward_output = Bytes{1},
                            .backward_output = Bytes{1}});
  if (data > 1) {
    const UpdateWork update{
        .reduce = {CollectiveWork{CollectiveKind::all_reduce, Axis::data, Bytes{1}}},
        .kernels = {Work{.fixed = {3}}}};
    input.updates.assign(static_cast<size_t>(schedule.stages), update);
  }
  input.grid = grid_of(pipeline, tensor, data);
  return lower(input);
}

/// Lengths of 0 to 7 for what communicates, each for itself.
std::vector<Time> some_durations(std::mt19937_64& random, const Program& program) {
  std::vector<Time> durations;
  for (const Op& op : program.ops) {
    const OpType& type = program.types[op.type];
    Time time;
    if (type.kind == OpKind::transfer || type.kind == OpKind::collective)
      time.ps = static_cast<int64_t>(random() % 8);
    for (const Work& work : program.works_of(type))
      time += picoseconds(work.fixed.ps + static_cast<int64_t>(random() % 3));
    durations.push_back(time);
  }
  return durations;
}

const char* const schedules[] = {"gpipe",   "1f1b",
                                 "zb-h1",   "{name: interleaved-1f1b, virtual: 2}",
                                 "chimera", "{name: terapipe, slices: 2}"};

TEST(Accounts, are_what_their_definition_says) {
  std::mt19937_64 random(17);
  for (int round = 0; round < 60; ++round) {
    const char* kind = schedules[round % std::size(schedules)];
    SCOPED_TRACE(fmt::format("{} in round {}", kind, round));
    const Program program = some_program(random, kind);
    const Timeline timeline = simulate(program, some_durations(random, program));
    Time end;
    for (const Span& span : timeline.spans) end = std::max(end, span.end);
    const std::vector<Breakdown> all =
        accounts(program, timeline, {Time{}, end, end}, SharesByPass{});
    const BruteForce brute(program, timeline);
    for (LaneId lane = 0; lane < program.lanes.size(); ++lane) {
      if (!computes(program.lanes[lane].stream)) continue;
      const uint32_t rank = program.lanes[lane].rank;
      ASSERT_EQ(all[rank], brute.account(rank, lane, end)) << rank;
    }
  }
}

// A mean adds up to the total of what it is a mean of, whatever is rounded.
TEST(Accounts, lose_nothing_by_rounding) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 1000; ++round) {
    const auto total = static_cast<int64_t>(random() % 1000 + 1);
    std::vector<WeighedBreakdown> parts(1 + random() % 5);
    for (WeighedBreakdown& part : parts) {
      part.weight = static_cast<int64_t>(random() % 7 + 1);
      const auto first = static_cast<int64_t>(random() % static_cast<uint64_t>(total + 1));
      part.breakdown[ComputeKind::forward].ps = first;
      part.breakdown[Traffic::data].ps = (total - first) / 3;
      part.breakdown.bubble.ps = total - first - (total - first) / 3;
    }
    ASSERT_EQ(mean(parts).total().ps, total);
    const Time to{static_cast<int64_t>(random() % 100'000)};
    ASSERT_EQ(scaled(parts.front().breakdown, to).total(), to);
  }
}

/// Any schedule on a small model, over networks and degrees of all kinds.
std::string some_job(std::mt19937_64& random) {
  const int tensor = one_of(random, {1, 2}), pipeline = one_of(random, {1, 2, 4});
  const std::string schedule =
      pipeline == 1 ? "gpipe"
                    : one_of<const char*>(random, {"gpipe", "1f1b", "zb-h1", "zb-h2", "chimera",
                                                   "pipedream", "pipedream-2bw", "fbp-as"});
  const bool asynchronous = schedule.starts_with("pipedream");
  return fmt::format(
      "model: {{transformer: {{layers: 8, hidden: 512, heads: 8, ffn: 2048, vocabulary: 1024}}}}\n"
      "cluster: {{node: dgx-a100-80g, nodes: 2, fabric: {{kind: star, link: eth-25}}}}\n"
      "parallel: {{tensor: {}, pipeline: {}, data: {}, zero: {}}}\n"
      "batch: {{global: 32, micro: 1, sequence: 256}}\nschedule: {}\nnetwork: {}\niterations: {}\n"
      "recompute: {}\noverlap: {{p2p: {}, data: {}, optimizer: {}}}\n"
      "stragglers: [{}]\n",
      tensor, pipeline, 16 / tensor / pipeline, one_of(random, {0, 1, pipeline == 1 ? 3 : 0}),
      schedule, one_of(random, {"flow", "alpha-beta"}), one_of(random, {1, 2}),
      one_of(random, {"none", "full"}), one_of(random, {"async", "sender", "rendezvous"}),
      one_of(random, {true, false}), asynchronous || random() % 2,
      one_of<const char*>(random, {"", "{device: 3, slowdown: 1.5}"}));
}

TEST(Accounts, add_up_to_an_iteration_and_a_job_of_one_stage_has_no_bubble) {
  int of_one_stage = 0, with_bubble = 0;
  for (uint64_t round = 0; round < 120; ++round) {
    std::mt19937_64 random(round);
    const std::string text = some_job(random);
    SCOPED_TRACE(text);
    const RunResult result = run(experiment(text)).result;
    const Metrics& metrics = result.metrics;
    ASSERT_EQ(metrics.breakdown.total(), metrics.iteration);
    for (const RankResult& rank : metrics.ranks)
      ASSERT_EQ(rank.breakdown.total(), metrics.iteration);
    const bool one_stage = metrics.ranks.size() == 1;
    if (one_stage) {
      ASSERT_EQ(metrics.breakdown.bubble, Time{});
    }
    of_one_stage += one_stage;
    with_bubble += metrics.breakdown.bubble > Time{};
  }
  EXPECT_GT(of_one_stage, 20);
  EXPECT_GT(with_bubble, 20);
}

double compute_s(const RunResult& result) {
  Time most;
  for (const RankResult& rank : result.metrics.ranks)
    most = std::max(most, rank.breakdown.computing());
  return in_seconds(most);
}

TEST(Accounts, layers_and_kernels_of_the_busiest_rank_add_up_to_its_compute) {
  for (uint64_t round = 0; round < 40; ++round) {
    std::mt19937_64 random(round);
    const std::string text = some_job(random);
    SCOPED_TRACE(text);
    const RunResult result = run(experiment(text)).result;
    double layers = 0, kernels = 0, shares = 0;
    for (const LayerTime& layer : result.metrics.detail.layers)
      layers += layer.forward_s + layer.backward_s;
    for (const KernelTime& kernel : result.metrics.detail.kernels) {
      kernels += kernel.time_s;
      shares += kernel.share;
    }
    ASSERT_NEAR(layers, compute_s(result), 1e-9 * layers);
    ASSERT_NEAR(kernels, compute_s(result), 1e-9 * kernels);
    ASSERT_NEAR(shares, 1, 1e-9);
  }
}

// Where nothing but compute costs anything, the iteration is the compute of its critical path.
TEST(Accounts, without_communication_and_hosts_the_critical_path_computes) {
  for (uint64_t round = 0; round < 40; ++round) {
    std::mt19937_64 random(round);
    const std::string text = some_job(random);
    SCOPED_TRACE(text);
    const config::Catalogue catalogue;
    const Prepared prepared =
        prepare(read_experiment(resolve(experiment(text), catalogue)), catalogue, {});
    FreeCosts free{.host = true};
    free.traffic.fill(true);
    const Executed executed = execute(prepared, free);
    const CriticalPath path = critical_path(executed.program, executed.timeline);
    Time end;
    for (const Span& span : executed.timeline.spans) end = std::max(end, span.end);
    ASSERT_EQ(path.forward + path.backward + path.input_gradient + path.weight_gradient + path.step,
              end);
  }
}

TEST(Accounts, a_cost_that_is_not_there_gains_nothing) {
  for (uint64_t round = 0; round < 20; ++round) {
    std::mt19937_64 random(round);
    const std::string text = some_job(random);
    SCOPED_TRACE(text);
    const Metrics metrics =
        run_experiment(experiment(text), config::Catalogue{}, {.if_free = true}).result.metrics;
    const IfFree& gain = *metrics.detail.if_free;
    for (size_t kind = 0; kind < traffic_kinds; ++kind)
      if (metrics.communication[kind].time == Time{}) {
        ASSERT_EQ(gain.traffic[kind], Time{}) << kind;
      }
    ASSERT_GE(gain.bubble, Time{});
    ASSERT_LE(gain.bubble, metrics.iteration);
  }
}

}  // namespace
}  // namespace pipewright::test
