#include "run/varied_job.hpp"

#include <gtest/gtest.h>

#include "experiment/experiment.hpp"
#include "run/execute.hpp"
#include "run/prepare.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

Prepared prepared(const std::string& rest) {
  return prepare(read_experiment(resolve(small_gpt(rest), config::Catalogue{})),
                 config::Catalogue{}, {});
}

/// Every third device is slower, each by another factor.
std::vector<double> uneven_chips(const Prepared& job) {
  std::vector<double> slowdown(static_cast<size_t>(job.links.topology->devices()), 1);
  for (size_t device = 0; device < slowdown.size(); device += 3)
    slowdown[device] += 0.01 * static_cast<double>(device + 1);
  return slowdown;
}

class VariedJobs : public testing::TestWithParam<const char*> {};

// Law: a job that is prepared once is the same job.
TEST_P(VariedJobs, take_as_long_as_each_by_itself) {
  Prepared job = prepared(GetParam());
  job.folding.replicas.clear();
  const VariedJob varied(job);
  for (const uint64_t seed : {1, 2}) {
    Prepared alone = job;
    alone.prices.slowdown = uneven_chips(job);
    alone.jitter = Jitter{seed, 0.02};
    const Executed run = execute(alone);
    EXPECT_EQ(varied.iteration_time(alone.prices.slowdown, alone.jitter),
              iteration_time(run.program, run.timeline, alone.schedule))
        << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(
    VariedJob, VariedJobs,
    testing::Values("parallel: {pipeline: 4}\nschedule: 1f1b\n",
                    "parallel: {pipeline: 2, tensor: 2, sequence: true}\nschedule: gpipe\n",
                    "parallel: {pipeline: 4}\nschedule: zb-h1\nnetwork: flow\n",
                    "parallel: {tensor: 8, zero: 3}\nschedule: 1f1b\nnetwork: flow\n",
                    "parallel: {pipeline: 2}\nschedule: pipedream-2bw\niterations: 3\n"));

}  // namespace
}  // namespace pipewright::test
