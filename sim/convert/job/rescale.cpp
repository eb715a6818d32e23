#include "convert/job/rescale.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "convert/job/job.hpp"
#include "convert/job/step_counts.hpp"
#include "plan/degrees.hpp"
#include "topology/cluster/cluster.hpp"
#include "workload/model/model.hpp"

namespace pipewright::job {
namespace {

using config::number;
using config::Value;

constexpr int64_t most = 1'048'576;

/// The keys that a user sets, by their paths.
class Assigned {
 public:
  explicit Assigned(const std::vector<std::string>& assignments) {
    for (const std::string& one : assignments) paths_.push_back(one.substr(0, one.find('=')));
  }
  /// Tells whether the number of devices or of sequences is set, or what follows it.
  bool says_size() const { return says("cluster") || says("parallel") || says("batch"); }
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

/// What an import assumes, by how its comment begins, and the key that says it.
struct Assumption {
  std::string_view begin, key;
};
constexpr Assumption assumptions[] = {{no_cluster, "cluster.node"},
                                      {no_cluster, "cluster.groups"},
                                      {models_sequence, "batch.sequence"},
                                      {usual_micro_batch, "batch.micro"}};

int64_t whole(const Value& map, std::string_view key, int64_t otherwise) {
  const Value* value = map.is_map() ? map.find(key) : nullptr;
  if (value && value->is_map()) value = value->find("degree");
  return value && value->is_scalar() ? config::as_int(*value, 0, most) : otherwise;
}

/// What a job had before, as it says it: that may be what is to be set right.
struct Before {
  explicit Before(const Value& document)
      : data(std::max<int64_t>(1, whole(*document.find("parallel"), "data", 1))),
        devices(data * whole(*document.find("parallel"), "tensor", 1) *
                whole(*document.find("parallel"), "pipeline", 1) *
                whole(*document.find("parallel"), "context", 1)),
        global(whole(*document.find("batch"), "global", 0)) {}
  int64_t data, devices, global;
};

class Rescaling {
 public:
  Rescaling(Value& document, Value& carried, const std::vector<std::string>& assignments,
            const config::Catalogue& catalogue)
      : document_(document),
        carried_(carried),
        catalogue_(catalogue),
        assigned_(assignments),
        before_(document) {
    for (const std::string& assignment : assignments) config::set_path(document_, assignment);
  }

  std::vector<std::string> run() {
    settle_other_node();
    settle_nodes();
    if (assigned_.says("cluster.nodes") && !assigned_.says("cluster.devices"))
      erase(document_.find("cluster"), "devices");
    settle_partition();
    settle_data();
    settle_cluster();
    settle_batch();
    settle_training();
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

  int64_t devices_of_the_cluster() const {
    return read_cluster(*document_.find("cluster"), catalogue_).devices();
  }

  /// Another node has the devices of before in as many nodes as hold them.
  void settle_other_node() {
    const bool says_size = assigned_.says("cluster.nodes") || assigned_.says("cluster.devices");
    Value* cluster = document_.find("cluster");
    const Value* nodes = cluster && cluster->is_map() ? cluster->find("nodes") : nullptr;
    if (!assigned_.says("cluster.node") || says_size || !nodes) return;
    const int64_t count = config::as_int(*nodes, 1, most);
    erase(cluster, "devices");
    hold(before_.devices, devices_of_the_cluster() / count, count);
  }

  /// Gives the cluster as many nodes as hold so many devices, the same number in each: 1,024 are in
  /// 16 racks of 72, which have 64 of them each, and not in 15.
  void hold(int64_t devices, int64_t of_a_node, int64_t before) {
    Value* cluster = document_.find("cluster");
    const int64_t least = (devices + of_a_node - 1) / of_a_node;
    int64_t count = least;
    while (count < 2 * least && devices % count != 0) ++count;
    if (devices % count != 0) count = least;
    cluster->set("nodes", number(count));
    if (count * of_a_node != devices) cluster->set("devices", number(devices));
    if (count != before)
      notes_.push_back(
          fmt::format("cluster.nodes is {}, as many as hold {} devices", count, devices));
  }

  /// Devices that are more than the nodes have are in more nodes.
  void settle_nodes() {
    Value* cluster = document_.find("cluster");
    const bool asks = assigned_.says("cluster.devices") && !assigned_.says("cluster.nodes");
    const Value* given = asks && cluster && cluster->is_map() ? cluster->find("devices") : nullptr;
    const Value* nodes = given ? cluster->find("nodes") : nullptr;
    if (!nodes) return;
    const int64_t devices = config::as_int(*given, 1, most);
    const int64_t before = config::as_int(*nodes, 1, most);
    erase(cluster, "devices");
    hold(devices, devices_of_the_cluster() / before, before);
  }

  /// Replicas fill the cluster that is set, or else the devices of before.
  void settle_data() {
    if (assigned_.says("parallel.data")) return;
    Value& parallel = *document_.find("parallel");
    erase(&parallel, "data");
    const Experiment now = read();
    const int64_t devices = assigned_.says("cluster") ? devices_of_the_cluster() : before_.devices;
    Parallel degrees = now.parallel;
    if (const Refusal refusal = settle_degrees(degrees, static_cast<int>(devices)))
      throw_misfit(refusal, now);
    parallel.set("data", number(degrees.data));
    if (degrees.data != before_.data)
      notes_.push_back(fmt::format("parallel.data is {}, as many replicas as fill {} devices",
                                   degrees.data, devices));
  }

  /// A cluster that nobody sets has as many nodes as are needed.
  void settle_cluster() {
    const Experiment now = read();
    const int64_t needed = devices_needed(now.parallel);
    Value* cluster = document_.find("cluster");
    const Value* nodes = cluster && cluster->is_map() ? cluster->find("nodes") : nullptr;
    if (!nodes || assigned_.says("cluster") || needed == before_.devices) return;
    const int64_t count = config::as_int(*nodes, 1, most);
    erase(cluster, "devices");
    hold(needed, devices_of_the_cluster() / count, count);
  }

  /// Every replica has as many sequences as before.
  void settle_batch() {
    const int64_t replicas = whole(*document_.find("parallel"), "data", 1), before = before_.data;
    if (assigned_.says("batch.global") || replicas == before || before_.global % before != 0)
      return;
    const int64_t each = before_.global / before;
    document_.find("batch")->set("global", number(each * replicas));
    notes_.push_back(
        fmt::format("batch.global is {}, {} sequences a replica as before", each * replicas, each));
  }

  /// Returns the size of a step that was meant for an assumed number of devices; null where none
  /// was.
  Value* assumed_step() {
    for (config::Entry& entry : carried_.entries) {
      Value* of_job = entry.value.is_map() ? entry.value.find(step) : nullptr;
      if (of_job && of_job->is_map() && of_job->find("devices")) return of_job;
    }
    return nullptr;
  }

  /// Steps stay where nobody knew how many devices, and so how many tokens, one of them had.
  void settle_training() {
    Value* of_job = assumed_step();
    Value* training = document_.find("training");
    const Value* tokens = training && training->is_map() ? training->find("tokens") : nullptr;
    const bool keeps = assigned_.says("training.tokens") || !assigned_.says_size();
    if (!of_job || !tokens || !of_job->find("tokens") || keeps) return;
    const Experiment now = read();
    const int64_t sequence =
        now.batch.sequence > 0 ? now.batch.sequence : now.model_or_fail().sequence.value_or(0);
    const double before = config::as_number(*of_job->find("tokens"), 1, 1e30);
    const double each = static_cast<double>(now.batch.global) * static_cast<double>(sequence);
    const double steps = std::round(config::as_count(*tokens) / before);
    const std::string all = fmt::format("{:.0f}", steps * each);
    of_job->set("tokens", config::scalar(fmt::format("{:.0f}", each)));
    erase(of_job, "devices");
    if (each == before) return;
    training->set("tokens", config::scalar(all));
    notes_.push_back(
        fmt::format("training.tokens is {}: {:.0f} steps as before, whose devices had been assumed",
                    all, steps));
  }

  Value& document_;
  Value& carried_;
  const config::Catalogue& catalogue_;
  Assigned assigned_;
  Before before_;
  std::vector<std::string> notes_;
};

}  // namespace

std::vector<std::string> rescale(Value& experiment, Value& carried,
                                 const std::vector<std::string>& assignments,
                                 const config::Catalogue& catalogue) {
  for (const char* key : {"parallel", "batch", "cluster"})
    if (!experiment.find(key)) {
      for (const std::string& assignment : assignments) config::set_path(experiment, assignment);
      return {};
    }
  return Rescaling(experiment, carried, assignments, catalogue).run();
}

bool is_said(std::string_view line, const std::vector<std::string>& assignments) {
  constexpr std::string_view mark = "# assumed: ";
  if (!line.starts_with(mark)) return false;
  line.remove_prefix(mark.size());
  const Assigned assigned(assignments);
  return std::ranges::any_of(assumptions, [&](const Assumption& one) {
    return line.starts_with(one.begin) && assigned.says(one.key);
  });
}

}  // namespace pipewright::job
