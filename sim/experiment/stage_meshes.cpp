// A micro-batch has `batch.micro` sequences for each data rank of the stage that has most of them;
// every stage splits it over its own data ranks.
//
// Data rank d and tensor rank t of a stage are device first + d * tensor + t. Unless an entry says
// how its activations lie, they lie as the degrees cut them, and neighbours whose degrees are the
// same send device to device, as they do without `strategy`; all others reshard.
#include "experiment/stage_meshes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "experiment/experiment.hpp"
#include "experiment/tensor_kind.hpp"
#include "network/resharding/sharding.hpp"

namespace pipewright {
namespace {

using config::Fields;
using config::Value;

constexpr int most = 1 << 20;

/// "0-11", or one number.
std::pair<int, int> read_range(const Value& value, const char* what) {
  const std::string& text = config::as_text(value, what);
  const char* const end = text.data() + text.size();
  int first = -1, last = -1;
  auto read = std::from_chars(text.data(), end, first);
  last = first;
  if (read.ec == std::errc{} && read.ptr < end && *read.ptr == '-')
    read = std::from_chars(read.ptr + 1, end, last);
  const bool whole = read.ec == std::errc{} && read.ptr == end;
  if (!whole || first < 0 || last < first || last >= most)
    value.fail(fmt::format("'{}' is no range: {} are written as 0-11", text, what));
  return {first, last};
}

int product(const Value& where, int64_t a, int64_t b) {
  if (a * b > most) where.fail(fmt::format("a stage has at most {} devices", most));
  return static_cast<int>(a * b);
}

void read_mesh(const Fields& fields, StageMesh& stage) {
  const Value* mesh = fields.find("mesh");
  if (!mesh) return;
  if (!mesh->is_list() || mesh->items.size() != 2) mesh->fail("a mesh is [rows, columns]");
  stage.rows = static_cast<int>(config::as_int(mesh->items[0], 1, most));
  stage.columns = static_cast<int>(config::as_int(mesh->items[1], 1, most));
}

std::vector<resharding::Cut> read_activations(const Value& value) {
  const std::string& text = config::as_text(value, "a sharding such as S01R");
  const auto cuts = resharding::cuts_named(text);
  if (!cuts || cuts->empty())
    value.fail(fmt::format(
        "'{}' is no sharding: R, S0, S1, S01 or S10 for each dimension, a mesh has sides 0 and 1, "
        "each of which cuts one dimension at most",
        text));
  if (cuts->size() > 3)
    value.fail(fmt::format("'{}' has {} dimensions: activations have sequences, tokens and width",
                           text, cuts->size()));
  return *cuts;
}

/// Weights are cut as Megatron cuts them: the first product's by columns, the second's by rows.
void check_weights(const Fields& sharding, std::string_view key, std::string_view cut, int tensor) {
  const Value* value = sharding.find(key);
  if (!value) return;
  const std::string& text = config::as_text(*value, "a sharding such as S1");
  if (text == cut || (text == "R" && tensor == 1)) return;
  value->fail(fmt::format("{}: '{}' cannot be simulated; with tensor {} it is {}", key, text,
                          tensor, tensor == 1 ? "R" : cut));
}

void read_sharding(const Value& value, StageMesh& stage) {
  const Fields fields(value, "a sharding", keys::a_sharding);
  check_weights(fields, "ffn_in", "S1", stage.tensor);
  check_weights(fields, "ffn_out", "S0", stage.tensor);
  if (const Value* activations = fields.find("activations"))
    stage.activations = read_activations(*activations);
}

void settle_degrees(const Fields& fields, const Parallel& parallel, StageMesh& stage) {
  const int each = std::max(1, stage.devices / parallel.context);
  const Value& where = fields.value();
  stage.tensor =
      static_cast<int>(fields.integer("tensor", std::min(parallel.tensor, each), 1, most));
  const int rest = std::max(1, each / stage.tensor);
  stage.data =
      static_cast<int>(fields.integer("data", parallel.data > 0 ? parallel.data : rest, 1, most));
  const int64_t product = int64_t{stage.tensor} * stage.data * parallel.context;
  if (product != stage.devices)
    where.misfit(fmt::format(
        "tensor {} x data {}{} is {}, but the stage has {} devices", stage.tensor, stage.data,
        parallel.context > 1 ? fmt::format(" x context {}", parallel.context) : "", product,
        stage.devices));
  if (!fields.find("mesh")) stage.rows = stage.devices / stage.tensor, stage.columns = stage.tensor;
  if (stage.rows * stage.columns != stage.devices)
    fields.at("mesh").fail(fmt::format("a mesh of {} x {} has {} devices, but the stage has {}",
                                       stage.rows, stage.columns, stage.rows * stage.columns,
                                       stage.devices));
}

void require_next(const Value& layers, int first, int next) {
  if (first > next)
    layers.fail(fmt::format("layer {} is in no stage: this stage should begin with it", next));
  if (first < next)
    layers.fail(fmt::format("layer {} is in two stages: this stage should begin with layer {}",
                            first, next));
}

/// Returns what says the layers of each stage of a mesh.
std::vector<const Value*> layers_given(const StageMesh& mesh) {
  const Value& layers = *mesh.given.find("layers");
  if (!layers.is_list()) return {&layers};
  std::vector<const Value*> given;
  for (const Value& item : layers.items) given.push_back(&item);
  return given;
}

void read_layers(const Value& layers, StageMesh& mesh) {
  if (layers.is_list() && layers.items.empty()) layers.fail("a mesh has at least one stage");
  for (const Value* one : layers_given(mesh)) {
    const auto [first, last] = read_range(*one, "layers");
    if (!mesh.stages.empty() && first <= mesh.stages.back().last)
      one->fail(fmt::format("layer {} stands behind layer {}: a mesh has its stages in model order",
                            first, mesh.stages.back().last));
    mesh.stages.push_back({first, last});
  }
}

/// Returns the stages of all meshes in model order, in which every layer stands once.
std::vector<StageMeshes::Stage> stages_of(const std::vector<StageMesh>& ranks) {
  struct Given {
    StageMeshes::Stage stage;
    const Value* layers;
  };
  std::vector<Given> all;
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    const std::vector<const Value*> given = layers_given(ranks[rank]);
    for (size_t k = 0; k < given.size(); ++k)
      all.push_back({{static_cast<int>(rank), ranks[rank].stages[k]}, given[k]});
  }
  std::ranges::stable_sort(all, {}, [](const Given& one) { return one.stage.layers.first; });
  std::vector<StageMeshes::Stage> stages;
  int next = 0;
  for (const Given& one : all) {
    require_next(*one.layers, one.stage.layers.first, next);
    next = one.stage.layers.last + 1;
    stages.push_back(one.stage);
  }
  return stages;
}

StageMesh read_entry(const Value& value, const Parallel& parallel, int next_device) {
  const Fields fields(value, "a mesh of the strategy", keys::a_mesh_of_the_strategy);
  StageMesh stage{.given = value};
  read_layers(fields.at("layers"), stage);
  read_mesh(fields, stage);
  stage.first_device = next_device;
  stage.devices = product(value, stage.rows, stage.columns);
  if (const Value* devices = fields.find("devices")) {
    const auto [first, last] = read_range(*devices, "devices");
    stage.first_device = first;
    stage.devices = last - first + 1;
  } else if (!fields.find("mesh")) {
    const int replicas = product(value, fields.integer("data", std::max(1, parallel.data), 1, most),
                                 parallel.context);
    stage.devices = product(value, fields.integer("tensor", parallel.tensor, 1, most), replicas);
  }
  settle_degrees(fields, parallel, stage);
  stage.tensor_grid = parallel.tensor == stage.tensor ? parallel.tensor_grid : TensorGrid{};
  if (const Value* kind = fields.find("tensor_kind"))
    stage.tensor_grid = read_tensor_kind(*kind, stage.tensor);
  if (const Value* sharding = fields.find("sharding")) read_sharding(*sharding, stage);
  return stage;
}

void require_apart(const std::vector<StageMesh>& stages) {
  for (const StageMesh& stage : stages) {
    for (const StageMesh* other = stages.data(); other != &stage; ++other) {
      const int first = std::max(stage.first_device, other->first_device);
      const int end =
          std::min(stage.first_device + stage.devices, other->first_device + other->devices);
      if (first >= end) continue;
      const Value* devices = stage.given.find("devices");
      (devices ? *devices : stage.given)
          .fail(fmt::format("device {} is in stage {} too", first, other - stages.data()));
    }
  }
}

bool same_degrees(const StageMesh& a, const StageMesh& b) {
  return a.tensor == b.tensor && a.data == b.data && a.tensor_grid.kind == b.tensor_grid.kind &&
         a.tensor_grid.sides == b.tensor_grid.sides;
}

}  // namespace

bool StageMeshes::is_resharding_edge(int k) const {
  if (static_cast<size_t>(k) + 1 >= stages.size()) return false;
  const int from = stages[static_cast<size_t>(k)].rank;
  const int to = stages[static_cast<size_t>(k) + 1].rank;
  if (from == to) return false;
  const StageMesh &a = ranks[static_cast<size_t>(from)], &b = ranks[static_cast<size_t>(to)];
  return !same_degrees(a, b) || !a.activations.empty() || !b.activations.empty();
}

bool StageMeshes::reshards() const {
  for (int k = 0; k < static_cast<int>(stages.size()); ++k)
    if (is_resharding_edge(k)) return true;
  return false;
}

int StageMeshes::most_data() const {
  int data = 1;
  for (const StageMesh& mesh : ranks) data = std::max(data, mesh.data);
  return data;
}

std::optional<int> StageMeshes::stages_of_a_rank() const {
  const auto as_first = [&](const StageMesh& mesh) {
    return mesh.stages.size() == ranks.front().stages.size();
  };
  if (ranks.empty() || !std::ranges::all_of(ranks, as_first)) return std::nullopt;
  return static_cast<int>(ranks.front().stages.size());
}

StageMeshes read_stage_meshes(const Experiment& e) {
  StageMeshes meshes;
  meshes.resharding = e.resharding;
  const Value* strategy = e.document.find("strategy");
  if (!strategy) return meshes;
  if (!strategy->is_list() || strategy->items.empty())
    strategy->fail("strategy is a list of stages such as {layers: 0-11, devices: 0-7, tensor: 4}");
  if (e.parallel.tensor_grid.kind == TensorKind::signatures)
    strategy->fail("either 'strategy' or 'parallel.sbp', whose grid is all there is");
  for (const Value& item : strategy->items) {
    const StageMesh* last = meshes.ranks.empty() ? nullptr : &meshes.ranks.back();
    meshes.ranks.push_back(
        read_entry(item, e.parallel, last ? last->first_device + last->devices : 0));
  }
  meshes.stages = stages_of(meshes.ranks);
  require_apart(meshes.ranks);
  const auto ranks = static_cast<int>(meshes.ranks.size());
  const Value* parallel = e.document.find("parallel");
  const Value* pipeline = parallel ? parallel->find("pipeline") : nullptr;
  if (pipeline && e.parallel.pipeline != ranks)
    pipeline->fail(
        fmt::format("strategy has {} meshes, pipeline says {}", ranks, e.parallel.pipeline));
  return meshes;
}

void refuse_resharding(const Experiment& e, std::string_view done) {
  if (e.meshes.reshards())
    e.fail("strategy",
           fmt::format("what is resharded between stages cannot be {} by this version", done));
}

void settle_meshes(Experiment& e, int devices) {
  e.parallel.data = e.meshes.most_data();
  for (const StageMesh& stage : e.meshes.ranks) {
    const int last = stage.first_device + stage.devices - 1;
    const Value* given = stage.given.find("devices");
    if (last >= devices)
      (given ? *given : stage.given)
          .misfit(fmt::format("device {} is not there: the cluster has {}", last, devices));
    if (stage.devices % (e.parallel.expert * e.parallel.expert_tensor) != 0)
      stage.given.misfit(fmt::format("expert {} must divide the stage's {} devices",
                                     e.parallel.expert, stage.devices));
  }
}

Experiment experiment_of_mesh(const Experiment& experiment, int rank) {
  Experiment e = experiment;
  if (e.meshes.empty()) return e;
  const StageMesh& stage = experiment.meshes.ranks[static_cast<size_t>(rank)];
  const int64_t together = int64_t{e.batch.micro} * e.parallel.data;
  if (together % stage.data != 0)
    stage.given.misfit(
        fmt::format("a micro-batch of {} sequences (batch.micro for each of the most data ranks) "
                    "does not split over {}: batch.micro must be a multiple of {}",
                    together, stage.data, stage.data / std::gcd(stage.data, e.parallel.data)));
  e.batch.micro = static_cast<int>(together / stage.data);
  e.parallel.tensor = stage.tensor;
  e.parallel.data = stage.data;
  e.parallel.tensor_grid = stage.tensor_grid;
  return e;
}

}  // namespace pipewright
