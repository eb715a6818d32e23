// Faults put into traces are found, and their cost is told.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "config/catalogue.hpp"
#include "diagnose/diagnose.hpp"
#include "diagnose/rebuilt_job.hpp"
#include "simulate/run.hpp"
#include "support/rounds.hpp"
#include "support/traced_job.hpp"

namespace pipewright::test {
namespace {

struct Fault {
  CauseKind kind;
  std::string who;  ///< part of what is to be said; empty: anything
  std::function<double(const TracedOperation&)> factor = [](const TracedOperation&) { return 1.0; };
  std::function<Time(const TracedOperation&)> late = [](const TracedOperation&) { return Time{}; };
  /// The factor of passes when the fault is cured: sequences cannot be shorter, only even.
  double cured = 1;
};

constexpr int steps = 6;

/// Schedules that ask nothing of the shape but full rounds of micro-batches; of some, ranks hold
/// stages that are no neighbours, or weight gradients stand apart.
constexpr std::array schedules = {"1f1b",   "gpipe",      "{name: interleaved-1f1b, virtual: 2}",
                                  "zb-h1",  "zb-h2",      "eager-1f1b",
                                  "bpipe",  "looped-bfs", "zb-v",
                                  "v-half", "v-min",      "hanayo"};
/// So many of them send forward messages to the next rank alone.
constexpr int one_way = 8;

/// A random job of one of them; kernels vary by half a per cent.
class RandomJob {
 public:
  explicit RandomJob(unsigned seed, int kinds = schedules.size()) : random_(seed) {
    ranks = pick(2, 6);
    data = pick(3, 5);
    micro_batches = ranks * pick(1, 3);
    name = schedules[static_cast<size_t>(pick(0, kinds - 1))];
    forward = pick(5, 50);
    halves = has_halves();
  }

  int pick(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random_); }

  std::vector<TracedOperation> trace(const Fault& fault) const {
    TracedJob job{traced_schedule(name, ranks, micro_batches), data, steps};
    job.length = [&, this](const TracedOperation& one) {
      return Time{static_cast<int64_t>(static_cast<double>(healthy(one).ps) * fault.factor(one))};
    };
    job.late = fault.late;
    return trace_of(job);
  }

  int ranks = 1, data = 1, micro_batches = 1, forward = 10;
  std::string name;
  bool halves = false;  ///< whether weight gradients stand apart

 private:
  bool has_halves() const {
    const schedule::Schedule built = traced_schedule(name, ranks, micro_batches);
    for (const schedule::Order& order : built.order)
      for (const schedule::Action& action : order)
        if (action.pass == schedule::Pass::weight_gradient) return true;
    return false;
  }

  /// The same for the same operation, whatever else is wrong.
  Time healthy(const TracedOperation& one) const {
    std::seed_seq place{one.dp_rank, one.stage,       one.step, static_cast<int>(one.kind),
                        one.chunk,   one.micro_batch, forward};
    std::mt19937 noise(place);
    const double spread = std::normal_distribution<double>(1, 0.005)(noise);
    double milliseconds = 1;
    if (one.kind == OperationKind::forward) milliseconds = forward;
    if (one.kind == OperationKind::backward) milliseconds = halves ? forward : 2 * forward;
    if (one.kind == OperationKind::weight_gradient) milliseconds = forward;
    if (one.kind == OperationKind::grads_reduce_scatter) milliseconds = forward;
    return seconds(milliseconds * 1e-3 * spread);
  }

  std::mt19937 random_;
};

bool is_pass(const TracedOperation& one) {
  return one.kind == OperationKind::forward || one.kind == OperationKind::backward ||
         one.kind == OperationKind::weight_gradient;
}

Fault slow_rank(RandomJob& job) {
  const int rank = job.pick(0, job.ranks - 1), data = job.pick(0, job.data - 1);
  const double factor = job.pick(120, 200) / 100.0;
  return {CauseKind::worker, fmt::format("data rank {}, stage {}", data, rank),
          [=](const TracedOperation& one) {
            return is_pass(one) && one.stage == rank && one.dp_rank == data ? factor : 1.0;
          }};
}

Fault slow_stage(RandomJob& job) {
  const int stage = job.ranks - 1;
  const double factor = job.pick(120, 200) / 100.0;
  return {CauseKind::stage, fmt::format("stage {}", stage), [=](const TracedOperation& one) {
            return is_pass(one) && one.stage == stage ? factor : 1.0;
          }};
}

Fault slow_link(RandomJob& job) {
  const int stage = job.pick(1, job.ranks - 1), data = job.pick(0, job.data - 1);
  const double factor = job.forward * job.pick(50, 100) / 100.0;
  return {CauseKind::communication,
          fmt::format("stages {} and {}, data rank {}", stage - 1, stage, data),
          [=](const TracedOperation& one) {
            const bool crosses =
                (one.kind == OperationKind::forward_recv && one.stage == stage) ||
                (one.kind == OperationKind::backward_recv && one.stage == stage - 1);
            return crosses && one.dp_rank == data ? factor : 1.0;
          }};
}

/// One pass of a rank in every second step takes much longer: its host collects garbage.
Fault pause(RandomJob& job) {
  const int stage = job.pick(0, job.ranks - 1), data = job.pick(0, job.data - 1);
  const int micro_batch = job.pick(0, job.micro_batches - 1);
  const double factor = 1 + 20.0 * job.pick(5, 10) / 10.0;
  return {CauseKind::host, "pauses", [=](const TracedOperation& one) {
            return one.kind == OperationKind::forward && one.stage == stage &&
                           one.dp_rank == data && one.micro_batch == micro_batch &&
                           one.chunk == 0 && one.step % 2 == 0
                       ? factor
                       : 1.0;
          }};
}

/// Micro-batches take up to four tenths more or less, the same on all stages.
Fault uneven_sequences(RandomJob& job) {
  const int seed = job.pick(0, 1 << 20);
  const auto factor = [=](int step, int data, int micro_batch) {
    std::seed_seq place{seed, step, data, micro_batch};
    std::mt19937 random(place);
    return std::uniform_real_distribution<double>(0.6, 1.4)(random);
  };
  Fault fault{CauseKind::sequence_lengths, "", [=](const TracedOperation& one) {
                return is_pass(one) ? factor(one.step, one.dp_rank, one.micro_batch) : 1.0;
              }};
  double sum = 0;
  for (int step = 0; step < steps; ++step)
    for (int data = 0; data < job.data; ++data)
      for (int micro_batch = 0; micro_batch < job.micro_batches; ++micro_batch)
        sum += factor(step, data, micro_batch);
  fault.cured = sum / (steps * job.data * job.micro_batches);
  return fault;
}

/// The host of one rank starts every pass late.
Fault late_host(RandomJob& job) {
  const int stage = job.pick(0, job.ranks - 1), data = job.pick(0, job.data - 1);
  const Time late = milliseconds(job.forward * job.pick(3, 8) / 10);
  Fault fault{CauseKind::host, "launch gaps"};
  fault.late = [=](const TracedOperation& one) {
    return one.stage == stage && one.dp_rank == data ? late : Time{};
  };
  return fault;
}

/// How often a fault is named first, and how often its seconds are within a twentieth.
struct Score {
  int tried = 0, named = 0, told = 0;
  std::string missed;
};

void judge(unsigned seed, const RandomJob& job, const Fault& fault, Score& score) {
  const std::vector<TracedOperation> sick = job.trace(fault);
  Fault cured{fault.kind, {}};
  cured.factor = [&](const TracedOperation& one) { return is_pass(one) ? fault.cured : 1.0; };
  const double cost = step_seconds(sick, steps) - step_seconds(job.trace(cured), steps);
  if (cost < 0.03 * step_seconds(sick, steps)) return;  // hidden by what is slower anyway
  const Diagnosis found = diagnose::diagnose_operations(sick, "trace");
  ++score.tried;
  const bool named = !found.causes.empty() && found.causes.front().kind == fault.kind &&
                     found.causes.front().who.find(fault.who) != std::string::npos;
  score.named += named;
  // What a host costs at the begin of steps is told by itself.
  double told = 0;
  for (const Cause& cause : found.causes)
    if (cause.kind == fault.kind && (fault.kind == CauseKind::host || told == 0))
      told += cause.recovered_s;
  score.told += std::abs(told - cost) <= 0.05 * cost;
  if (!named || std::abs(told - cost) > 0.05 * cost)
    score.missed +=
        fmt::format("seed {}: {} p{} d{} m{}: costs {:.4f}, told {:.4f}, first {} {}\n", seed,
                    job.name, job.ranks, job.data, job.micro_batches, cost, told,
                    found.causes.empty() ? "nothing" : name_of(found.causes.front().kind),
                    found.causes.empty() ? "" : found.causes.front().who);
}

Score score_of(Fault (*make)(RandomJob&), int kinds) {
  Score score;
  for (unsigned seed = 0; seed < rounds(40); ++seed) {
    RandomJob job(seed, kinds);
    judge(seed, job, make(job), score);
  }
  return score;
}

void expect_found(Fault (*make)(RandomJob&), int kinds = schedules.size()) {
  const Score score = score_of(make, kinds);
  const int most = static_cast<int>(0.95 * score.tried);
  EXPECT_GE(score.tried, static_cast<int>(rounds(40) / 2));
  EXPECT_GE(score.named, most) << score.missed;
  EXPECT_GE(score.told, most) << score.missed;
}

TEST(DiagnoseProperty, a_slow_rank_is_named_with_its_cost) { expect_found(slow_rank); }
TEST(DiagnoseProperty, a_slow_last_stage_is_named_with_its_cost) { expect_found(slow_stage); }
TEST(DiagnoseProperty, a_slow_link_is_named_with_its_cost) { expect_found(slow_link, one_way); }
TEST(DiagnoseProperty, a_pause_is_named_with_its_cost) { expect_found(pause); }
TEST(DiagnoseProperty, a_late_host_is_named_with_its_cost) { expect_found(late_host); }

TEST(DiagnoseProperty, uneven_sequences_are_named_with_their_cost) {
  expect_found(uneven_sequences);
}

TEST(DiagnoseProperty, a_healthy_job_is_as_fast_as_its_ideal) {
  for (unsigned seed = 0; seed < rounds(20); ++seed) {
    const RandomJob job(seed);
    const Diagnosis found =
        diagnose::diagnose_operations(job.trace({CauseKind::host, {}}), "trace");
    EXPECT_NEAR(found.typical.slowdown, 1, 0.02);
    EXPECT_NEAR(found.typical.simulated_s, found.typical.measured_s,
                0.01 * found.typical.measured_s);
    EXPECT_EQ(found.schedule.name.find("unknown"), std::string::npos);
  }
}

double simulated(const std::string& experiment) {
  const config::Catalogue catalogue;
  return in_seconds(
      run_experiment(config::parse(experiment, "rebuilt"), catalogue, {}).result.metrics.iteration);
}

/// Jobs are rebuilt within a fiftieth, by what the generator and the diagnosis say of them.
void expect_rebuilt(Fault (*make)(RandomJob&)) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    RandomJob job(seed);
    const std::vector<TracedOperation> trace = job.trace(make(job));
    const Diagnosis found = diagnose::diagnose_operations(trace, "trace");
    const double again = simulated(diagnose::experiment_of(found));
    EXPECT_NEAR(again, found.typical.simulated_s, 0.02 * found.typical.simulated_s)
        << seed << " " << job.name;
    EXPECT_NEAR(again, step_seconds(trace, steps), 0.02 * step_seconds(trace, steps))
        << seed << " " << job.name;
  }
}

TEST(DiagnoseProperty, a_healthy_job_is_rebuilt) {
  expect_rebuilt([](RandomJob&) { return Fault{CauseKind::host, {}}; });
}
TEST(DiagnoseProperty, a_job_with_a_slow_rank_is_rebuilt) { expect_rebuilt(slow_rank); }
TEST(DiagnoseProperty, a_job_with_a_slow_stage_is_rebuilt) { expect_rebuilt(slow_stage); }

}  // namespace
}  // namespace pipewright::test
