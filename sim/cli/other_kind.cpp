#include "cli/other_kind.hpp"

#include <fmt/format.h>

#include "cli/document_kind.hpp"

namespace pipewright::cli {
namespace {

/// What a kind is called, and what is done with a document of it; {} stands for its file.
struct Use {
  DocumentKind kind;
  std::string_view name, use;
};

constexpr Use uses[] = {
    {DocumentKind::experiment, "an experiment",
     "'pipewright simulate {0}' runs it, and a study names it as 'experiment: {0}'"},
    {DocumentKind::study, "a study", "'pipewright sweep {0}' runs it"},
    {DocumentKind::profile, "a profile", "an experiment names it as 'profile: {0}'"},
    {DocumentKind::network, "a network profile",
     "a cluster names it as 'fabric: {{measured: {0}}}'"},
    {DocumentKind::model, "a model", "an experiment names it as 'model: {0}'"},
    {DocumentKind::cluster, "a cluster", "an experiment names it as 'cluster: {0}'"},
    {DocumentKind::node, "a node", "an experiment names it as 'cluster: {{node: {0}, nodes: 1}}'"},
    {DocumentKind::device, "a device", "a node names it as 'device: {0}'"},
    {DocumentKind::measured, "a file of measured runs", "'pipewright validate {0}' predicts them"},
    {DocumentKind::anchor, "an anchor", "an experiment names it as 'anchor: {0}'"},
    {DocumentKind::rules, "a rules file", "an experiment names it as 'schedule: {{rules: {0}}}'"},
};

/// Tells whether a document that looks like nothing else is an experiment by its keys.
bool is_experiment(const config::Value& document) {
  return document.find("model") || document.find("cluster") || document.find("schedule");
}

}  // namespace

void refuse_other_kind(const config::Value& document, const std::string& file, DocumentKind wanted,
                       const config::Catalogue& catalogue) {
  if (!document.is_map() || document.find("base") || file == "-") return;
  const DocumentKind kind = kind_of(document, catalogue);
  const bool is_plain = kind != DocumentKind::experiment || is_experiment(document);
  if (kind == wanted || !is_plain || document.find("runs")) return;
  for (const Use& one : uses)
    if (one.kind == kind)
      document.fail(
          fmt::format("this is {}: {}", one.name, fmt::format(fmt::runtime(one.use), file)));
}

void refuse_without_schedule(const config::Value& experiment, std::string_view command) {
  for (const char* key : {"trace", "traffic", "peers"})
    if (const config::Value* value = experiment.find(key))
      value->fail(fmt::format(
          "{} needs an experiment with a schedule, and one with '{}' has none: 'pipewright "
          "simulate' runs it",
          command, key));
}

void refuse_without_layers(const config::Value& experiment, std::string_view command) {
  const config::Value* model = experiment.find("model");
  if (const config::Value* synthetic = model ? model->find("synthetic") : nullptr)
    synthetic->fail(
        fmt::format("{} needs a model with layers, which it lays out; a synthetic one gives the "
                    "times of stages",
                    command));
}

}  // namespace pipewright::cli
