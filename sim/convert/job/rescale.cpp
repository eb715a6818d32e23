#include "convert/job/rescale.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiment/hardware.hpp"
#include "plan/degrees.hpp"

namespace pipewright::job {
namespace {

using config::number;
using config::Value;

/// The keys that a user sets, by their paths.
class Assigned {
 public:
  explicit Assigned(const std::vector<std::string>& assignments) {
    for (const std::string& one : assignments) paths_.push_back(one.substr(0, one.find('=')));
  }
  /// Tells whether `key`, one below it or one above it is set.
  bool says(std::string_view key) const {
    return std::any_of(paths_.begin(), paths_.end(), [&](std::string_view path) {
      return lies_in(path, key) || lies_in(key, path);
    });
  }

 private:
  static bool lies_in(std::string_view path, std::string_view map) {
    return path.starts_with(map) && (path.size() == map.size() || path[map.size()] == '.');
  }
  std::vector<std::string> paths_;
};

class Rescaling {
 public:
  Rescaling(Value& document, const std::vector<std::string>& assignments,
            const config::Catalogue& catalogue)
      : document_(document), catalogue_(catalogue), assigned_(assignments), before_(read()) {
    for (const std::string& assignment : assignments) config::set_path(document_, assignment);
  }

  std::vector<std::string> run() {
    settle_nodes();
    if (assigned_.says("cluster.nodes") && !assigned_.says("cluster.devices"))
      erase(document_.find("cluster"), "devices");
    settle_partition();
    settle_data();
    settle_cluster();
    settle_batch();
    return std::move(notes_);
  }

 private:
  Experiment read() const { return read_experiment(resolve(document_, catalogue_)); }

  static void erase(Value* map, std::string_view key) {
    if (map && map->is_map())
      std::erase_if(map->entries, [&](const config::Entry& entry) { return entry.key == key; });
  }

  void settle_partition() {
    const Value* partition = document_.find("partition");
    const bool changes = assigned_.says("parallel.pipeline") || assigned_.says("parallel.virtual");
    if (!partition || !partition->is_list() || !changes || assigned_.says("partition")) return;
    erase(&document_, "partition");
    notes_.emplace_back("the stages are other ones, and are cut evenly");
  }

  /// Devices that are more than the nodes have are in more nodes.
  void settle_nodes() {
    Value* cluster = document_.find("cluster");
    const bool asks = assigned_.says("cluster.devices") && !assigned_.says("cluster.nodes");
    const Value* given = asks && cluster && cluster->is_map() ? cluster->find("devices") : nullptr;
    const Value* nodes = given ? cluster->find("nodes") : nullptr;
    if (!nodes) return;
    const int64_t devices = config::as_int(*given, 1, 1'048'576);
    const int64_t before = config::as_int(*nodes, 1, 1'048'576);
    erase(cluster, "devices");
    const int64_t of_a_node = cluster_of(read(), catalogue_).devices() / before;
    const int64_t count = (devices + of_a_node - 1) / of_a_node;
    cluster->set("nodes", number(count));
    if (count * of_a_node != devices) cluster->set("devices", number(devices));
    if (count != before)
      notes_.push_back(
          fmt::format("cluster.nodes is {}, as many as hold {} devices", count, devices));
  }

  /// Replicas fill the cluster that is set, or else the devices of before.
  void settle_data() {
    if (assigned_.says("parallel.data")) return;
    Value& parallel = *document_.find("parallel");
    erase(&parallel, "data");
    const Experiment now = read();
    const int64_t devices = assigned_.says("cluster") ? cluster_of(now, catalogue_).devices()
                                                      : devices_needed(before_.parallel);
    Parallel degrees = now.parallel;
    if (const Refusal refusal = settle_degrees(degrees, static_cast<int>(devices)))
      throw_misfit(refusal, now);
    parallel.set("data", number(degrees.data));
    if (degrees.data != before_.parallel.data)
      notes_.push_back(fmt::format("parallel.data is {}, as many replicas as fill {} devices",
                                   degrees.data, devices));
  }

  /// A cluster that nobody sets has as many nodes as are needed.
  void settle_cluster() {
    const Experiment now = read();
    const int64_t needed = devices_needed(now.parallel);
    Value* cluster = document_.find("cluster");
    const Value* nodes = cluster && cluster->is_map() ? cluster->find("nodes") : nullptr;
    if (!nodes || assigned_.says("cluster") || needed == devices_needed(before_.parallel)) return;
    erase(cluster, "devices");
    const int64_t of_a_node =
        cluster_of(read(), catalogue_).devices() / config::as_int(*nodes, 1, 1'048'576);
    const int64_t count = (needed + of_a_node - 1) / of_a_node;
    cluster->set("nodes", number(count));
    if (count * of_a_node != needed) cluster->set("devices", number(needed));
    notes_.push_back(fmt::format("cluster.nodes is {}, as many as hold {} devices", count, needed));
  }

  /// Every replica has as many sequences as before.
  void settle_batch() {
    const int64_t replicas = read().parallel.data, before = before_.parallel.data;
    if (assigned_.says("batch.global") || replicas == before || before_.batch.global % before != 0)
      return;
    const int64_t each = before_.batch.global / before;
    document_.find("batch")->set("global", number(each * replicas));
    notes_.push_back(
        fmt::format("batch.global is {}, {} sequences a replica as before", each * replicas, each));
  }

  Value& document_;
  const config::Catalogue& catalogue_;
  Assigned assigned_;
  Experiment before_;
  std::vector<std::string> notes_;
};

}  // namespace

std::vector<std::string> rescale(Value& experiment, const std::vector<std::string>& assignments,
                                 const config::Catalogue& catalogue) {
  for (const char* key : {"parallel", "batch", "cluster"})
    if (!experiment.find(key)) {
      for (const std::string& assignment : assignments) config::set_path(experiment, assignment);
      return {};
    }
  return Rescaling(experiment, assignments, catalogue).run();
}

}  // namespace pipewright::job
