// FSDP2 is told how devices share the work by a mesh with a name for each axis. torchtitan makes
// [pipeline, replicate, shard, context, tensor] of all devices, the last varying fastest:
//   weights   cut over shard x context, copied over replicate; whole where that is one device
//   experts   `expert` neighbours in shard x context x tensor hold them once. Their weights are cut
//             over shard x context x tensor / expert, and copied over replicate
// So data is replicate x shard, and parallel.shard is shard x context.
// Source: pytorch/torchtitan b5bcd76c66, torchtitan/distributed/parallel_dims.py.
#include "experiment/device_mesh.hpp"

#include <fmt/format.h>

#include "experiment/options.hpp"

namespace pipewright {
namespace {

using config::Entry;
using config::Fields;
using config::Value;

constexpr int64_t most_of_axis = 1 << 20;

/// The axes that are degrees as they stand.
constexpr const char* plain_axes[] = {"tensor", "pipeline", "context", "expert"};

/// Returns how a mesh says what a key beside it means: "parallel.mesh.tensor says it".
std::string said_by_mesh(std::string_view key) {
  if (key == "data") return "parallel.mesh.replicate x parallel.mesh.shard are the replicas";
  if (key == "zero") return "a mesh cuts weights over shard x context: shard: 1 leaves them whole";
  if (key == "spatial" || key == "sbp") return "say the other axes as degrees too";
  return fmt::format("parallel.mesh.{} says it", key);
}

void refuse_degrees_beside(const Value& parallel) {
  for (const char* key : {"tensor", "pipeline", "data", "context", "spatial", "expert", "zero",
                          "shard", "replicate", "sbp"})
    if (const Value* beside = parallel.find(key))
      beside->fail(fmt::format("parallel: either 'mesh' or '{}'; {}", key, said_by_mesh(key)));
}

int64_t axis(const Fields& mesh, const char* name) {
  return mesh.integer(name, 1, 1, most_of_axis);
}

/// Tells whether one device has all weights: nothing is cut then.
bool is_whole(const Fields& mesh) {
  const Value* context = mesh.find("context");
  if (context && context->is_map()) context = context->find("degree");
  const bool shares = context && config::as_int(*context, 1, most_of_axis) > 1;
  return mesh.find("shard") && axis(mesh, "shard") == 1 && !shares;
}

std::vector<Entry> degrees_of(const Fields& mesh) {
  Value degrees{.kind = Value::Kind::map};
  const config::Mark& mark = mesh.value().mark;
  for (const char* name : plain_axes)
    if (const Value* given = mesh.find(name)) degrees.set(name, *given);
  const int64_t replicate = axis(mesh, "replicate");
  if (const Value* shard = mesh.find("shard"))
    degrees.set("data", config::number(replicate * axis(mesh, "shard"), shard->mark));
  degrees.set("zero", config::number(is_whole(mesh) ? 0 : 3, mark));
  if (replicate > 1 && !is_whole(mesh))
    degrees.set("replicate", config::number(replicate, mesh.at("replicate").mark));
  return degrees.entries;
}

}  // namespace

std::optional<DeviceMesh> spell_out_mesh(Value& document) {
  Value* parallel = document.find("parallel");
  if (!parallel || !parallel->is_map() || !parallel->find("mesh")) return std::nullopt;
  refuse_degrees_beside(*parallel);
  const Value given = *parallel->find("mesh");
  const Fields mesh(given, "parallel.mesh", keys::parallel_mesh);
  std::vector<Entry> entries;
  for (const Entry& entry : parallel->entries) {
    const std::vector<Entry> meant =
        entry.key == "mesh" ? degrees_of(mesh) : std::vector<Entry>{entry};
    entries.insert(entries.end(), meant.begin(), meant.end());
  }
  parallel->entries = std::move(entries);
  const bool says_shard = mesh.find("shard") != nullptr;
  return DeviceMesh{.replicate = static_cast<int>(axis(mesh, "replicate")),
                    .shard = says_shard ? static_cast<int>(axis(mesh, "shard")) : 0,
                    .where = given.mark.where()};
}

}  // namespace pipewright
