// Small models of every kind that is trained live, trained by ranks that are threads.
#pragma once

#include <chrono>
#include <thread>
#include <vector>

#include "calibrate/live/real_over_processes.hpp"
#include "calibrate/transport/memory.hpp"
#include "support/live_gpt.hpp"

namespace pipewright::test {

inline const std::string gpt =
    "{transformer: {layers: 4, hidden: 16, heads: 4, ffn: 32, vocabulary: 24}}";
inline const std::string perceptron =
    "{cnn: {input: [12, 1, 1], layers: [{repeat: 3, layers: [dense 16]}, dense 5]}}";
inline const std::string images =
    "{cnn: {input: [2, 16, 9], layers: [conv 4 3x3, max-pool 2x2 /2, conv 6 5x5, max-pool 3x3 /1, "
    "dense 12, dense 5]}}";
inline const std::string lstm = "{recurrent: {hidden: 8, layers: 4, vocabulary: 16}}";

/// Two stages, two replicas.
inline LiveModel two_by_two(const std::string& model, int steps) {
  return {.model = model,
          .batch = model == gpt || model == lstm ? ", sequence: 12" : "",
          .pipeline = 2,
          .data = 2,
          .micro_batches = 4,
          .steps = steps};
}

/// What every rank has of the run of the job that `make_job` makes; `make_device` gives a session
/// and a rank its device.
template <class MakeJob, class MakeDevice>
std::vector<live::Replay> run_job_over_ranks(const MakeJob& make_job,
                                             const MakeDevice& make_device) {
  const auto ranks = static_cast<int>(make_job().program.ranks.size());
  const auto transports = transport::memory_transports(ranks);
  std::vector<live::Replay> replays(static_cast<size_t>(ranks));
  std::vector<std::thread> threads;
  for (size_t rank = 0; rank < replays.size(); ++rank) {
    threads.emplace_back([&, rank] {
      transport::Session session(*transports[rank], std::chrono::seconds(60));
      try {
        live::RealJob job = make_job();
        const Run simulated = live::simulated(job);
        const auto device = make_device(session, static_cast<uint32_t>(rank));
        replays[rank] = live::replay_real_over(std::move(job), simulated, session, *device, {}, 1);
      } catch (const Failure& failure) {
        ADD_FAILURE() << "rank " << rank << ": " << failure.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return replays;
}

template <class MakeDevice>
std::vector<live::Replay> run_over_ranks(const LiveModel& model, const MakeDevice& make_device) {
  return run_job_over_ranks([&] { return live_job(model); }, make_device);
}

/// The first rank has held the run's numbers against those of one device.
inline void expect_same_as_one_device(const LiveModel& model, const live::Replay& first) {
  ASSERT_TRUE(first.numerics);
  EXPECT_LT(first.numerics->max_relative_difference, 1e-5);
  EXPECT_GE(first.numerics->loss.size(), static_cast<size_t>(model.steps));
}

}  // namespace pipewright::test
