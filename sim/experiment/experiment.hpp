// An experiment as the user wrote it, read and checked: everything that decides a run.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "config/value.hpp"
#include "experiment/device_mesh.hpp"
#include "experiment/options.hpp"
#include "experiment/stage_meshes.hpp"
#include "experiment/synthetic.hpp"

namespace pipewright {

namespace config {
class Catalogue;
}
struct Model;

/// What options.yaml lists, read, and what follows from it alone.
struct Experiment : ExperimentOptions {
  config::Value document;              ///< as given, with catalogue names looked up
  std::shared_ptr<const Model> model;  ///< empty where the experiment is not about a model
  std::optional<SyntheticModel> synthetic;
  StageMeshes meshes;
  std::optional<DeviceMesh> device_mesh;  ///< which `document` says as degrees
  DType gradients = DType::fp32;
  Framework framework = Framework::megatron;
  // What stands in place of model, parallel and schedule, if anything.
  std::optional<config::Value> trace;  ///< the path of a GOAL file, or a prefix of Chakra's
  bool trace_is_chakra = false;
  std::optional<config::Value> traffic;  ///< a list of flows, or the path of a CSV file
  std::optional<config::Value> peers;    ///< in place of a schedule only

  bool has_schedule() const { return !trace && !traffic && !peers; }
  ExperimentKind kind() const;
  /// The value of a top-level key; fails at the document where a needed key is missing.
  const config::Value& at(std::string_view key) const;
  /// The model; fails at the document where there is none.
  const Model& model_or_fail() const;
  /// True where the user wrote the key.
  bool gives(std::string_view key) const { return document.find(key) != nullptr; }
  /// Where the key "parallel" or "batch.lengths" stands; else the map that would hold it.
  Where where(std::string_view path) const;
  /// Throws InputError at where(path).
  [[noreturn]] void fail(std::string_view path, const std::string& message) const;
  /// Throws Misfit at where(path).
  [[noreturn]] void misfit(std::string_view path, const std::string& message) const;
};

/// The document with the names and files of its experiment and model looked up.
config::Value resolve(const config::Value& document, const config::Catalogue& catalogue);

/// Reads `trace` and `traffic`, in its own file. Throws InputError for what has no meaning there.
void read_replacement(Experiment& experiment);

/// Reads a resolved document. Throws InputError for the first thing that is wrong.
Experiment read_experiment(const config::Value& document);

/// Throws InputError where an experiment has what can be simulated, but not be `done` ("exported")
/// by this version: resharding between stages, copies to a host, documents of unequal length.
void refuse_simulated_only(const Experiment& experiment, std::string_view done);

}  // namespace pipewright
