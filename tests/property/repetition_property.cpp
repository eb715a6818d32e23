// Micro-batches that repeat others, simulated once, give the result of all of them to the byte.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "report/json/result.hpp"
#include "schedule/kinds/kinds.hpp"
#include "schedule/repeats.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

RunResult simulated(const config::Value& experiment, bool fold_micro_batches) {
  return run_experiment(experiment, config::Catalogue{},
                        {.fold_micro_batches = fold_micro_batches, .allow_commands = true})
      .result;
}

/// All that is reported, but for what the simulation itself took and what it left out.
std::string told(RunResult result) {
  result.cost = {};
  std::erase_if(result.notes, [](const std::string& note) {
    return note.starts_with("micro-batches repeat themselves");
  });
  return json_text(result);
}

/// Holds the run of a period to the run of everything. Returns whether there was one.
bool expect_same_result(const std::string& yaml) {
  SCOPED_TRACE(yaml);
  const config::Value document = experiment(yaml);
  RunResult all;
  try {
    all = simulated(document, false);
  } catch (const Misfit&) {
    return false;
  }
  const RunResult once = simulated(document, true);
  EXPECT_EQ(told(once), told(all));
  return once.cost.events < all.cost.events;
}

// Every schedule, with stages of other lengths each, so that queues form before the slowest.
TEST(Repetition, of_every_schedule_gives_the_result_of_all_micro_batches) {
  std::vector<std::string> folded;
  for (const schedule::Kind* kind : schedule::kinds()) {
    for (const int micro_batches : {1024, 1149}) {
      for (const char* times : {"forward: 1 ms, backward: 2 ms",
                                "forward: [3 ms, 1 ms, 2 ms, 2 ms], backward: [2 ms, 7 ms, 3 ms, 1 ms]"}) {
        const bool is_folded = expect_same_result(fmt::format(
            "model: {{synthetic: {{devices: 4, microbatches: {}, {}, activation: 1 MiB, boundary: 1 MiB}}}}\n"
            "cluster: {{devices: 4, link: {{latency: 7 us, bandwidth: 3 GB/s}}}}\n"
            "schedule: {}\n",
            micro_batches, times, kind->name));
        if (is_folded) folded.push_back(fmt::format("{} {} {}", kind->name, micro_batches, times));
      }
    }
  }
  for (const auto& f : folded) std::cerr << f << "\n";
  EXPECT_GT(folded.size(), 10);
}

}  // namespace
}  // namespace pipewright::test
