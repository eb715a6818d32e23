#include "machine/anchor_factors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "experiment/derived.hpp"

namespace pipewright {
namespace {

std::string said_framework(const Experiment& e) {
  return e.given_framework
             ? std::string(choices::framework[static_cast<size_t>(*e.given_framework)])
             : framework_of_regime(e);
}

/// What stands in place of a framework for models that are no transformers.
bool is_kind_of_model(std::string_view framework) {
  return framework == "images" || framework == "recurrent" || framework == "given";
}

bool is_of_framework(const Anchor& anchor, const Experiment& e) {
  const std::string regime = framework_of_regime(e);
  if (anchor.framework == regime) return true;
  if (is_kind_of_model(anchor.framework) || is_kind_of_model(regime)) return false;
  return !e.given_framework || anchor.framework == said_framework(e);
}

}  // namespace

AnchorParts anchor_factors(const Experiment& experiment, const Cluster& cluster) {
  if (!experiment.anchor) return prior_anchor().factors;
  std::set<std::string> types;
  for (const Device& type : cluster.device_types) types.insert(type.name);
  const std::string all =
      types.empty() ? "devices without a name" : fmt::format("{}", fmt::join(types, " and "));
  const std::string& its = experiment.anchor->device;
  if (its != all && !types.contains(its))
    experiment.misfit("anchor", fmt::format("the anchor is of {}, the cluster has {}", its, all));
  if (!is_of_framework(*experiment.anchor, experiment))
    experiment.misfit("anchor",
                      fmt::format("the anchor is of {}, the experiment of {}",
                                  experiment.anchor->framework, said_framework(experiment)));
  return experiment.anchor->factors;
}

HostTimes times(const HostTimes& host, double factor) {
  if (factor == 1) return host;
  const auto longer = [&](Time time) { return seconds(in_seconds(time) * factor); };
  HostTimes scaled = host;
  for (Time* time : {&scaled.launch, &scaled.repeat, &scaled.part, &scaled.collective,
                     &scaled.check, &scaled.check_rank})
    *time = longer(*time);
  return scaled;
}

}  // namespace pipewright
