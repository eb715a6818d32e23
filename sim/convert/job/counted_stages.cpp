#include "convert/job/counted_stages.hpp"

#include <utility>

#include "experiment/experiment.hpp"
#include "run/prepare.hpp"

namespace pipewright::job {

config::Value with_counted_stages(const config::Value& experiment,
                                  const config::Catalogue& catalogue) {
  const Experiment read = read_experiment(resolve(experiment, catalogue));
  if (read.partition.kind != PartitionOptions::Kind::balanced || read.partition.pieces > 1)
    return experiment;
  const std::vector<int64_t> blocks = prepare(read, catalogue, RunOptions{}).blocks;
  if (blocks.size() < 2) return experiment;
  config::Value counts{.kind = config::Value::Kind::list};
  for (const int64_t count : blocks) counts.items.push_back(config::number(count));
  config::Value counted = experiment;
  counted.set("partition", std::move(counts));
  return counted;
}

}  // namespace pipewright::job
