#include "peers/peers.hpp"

#include "base/required.hpp"
#include "config/catalogue.hpp"
#include "experiment/kind_keys.hpp"

namespace pipewright {

using config::Value;

double presence(const std::optional<Failures>& failures) {
  if (!failures) return 1;
  return failures->device_mtbf_s / (failures->device_mtbf_s + failures->restart_time_s);
}

Experiment under_schedule(const Experiment& experiment, Value schedule) {
  Experiment inner = experiment;
  std::erase_if(inner.document.entries,
                [](const config::Entry& entry) { return entry.key == "peers"; });
  inner.document.set("schedule", std::move(schedule));
  inner.peers.reset();
  inner.failures.reset();
  return inner;
}

Value without_schedule(Value resolved, const Value& peers) {
  resolved.set("peers", peers);
  erase_keys_of_other_kinds(resolved, ExperimentKind::peers);
  return resolved;
}

Run run_peers_experiment(const Experiment& experiment, const config::Catalogue& catalogue,
                         const RunOptions& options) {
  const Value& peers = required(experiment.peers, "an experiment of peers");
  static const Value nothing = config::parse("{}", "defaults");
  if (!peers.is_map()) {
    return config::as_choice(peers, choices::peers) == 0
               ? run_swarm_experiment(experiment, nothing, catalogue, options)
               : run_atom_experiment(experiment, nothing, catalogue, options);
  }
  const config::Fields fields(peers, "peers", keys::peers);
  const Value* swarm = fields.find("swarm");
  const Value* atom = fields.find("atom");
  if (!swarm == !atom) peers.fail("peers: either 'swarm' or 'atom'");
  return swarm ? run_swarm_experiment(experiment, *swarm, catalogue, options)
               : run_atom_experiment(experiment, *atom, catalogue, options);
}

}  // namespace pipewright
