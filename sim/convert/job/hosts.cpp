// After torchrun's options: hosts meet at one of them, by the rendezvous c10d (PyTorch's
// documentation, "torchrun (Elastic Launch)").
#include "convert/job/hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "config/catalogue.hpp"
#include "plan/degrees.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/hosts.hpp"

namespace pipewright::job {
namespace {

constexpr int64_t usual_devices = 8;

}  // namespace

Hosts hosts_of(const Experiment& experiment) {
  const config::Catalogue catalogue;
  const config::Value* cluster = experiment.document.find("cluster");
  Parallel degrees = experiment.parallel;
  // Replicas that nobody counts are as many as the devices hold.
  if (degrees.data <= 0 && cluster)
    settle_degrees(degrees, read_cluster(*cluster, catalogue).devices());
  degrees.data = std::max(degrees.data, 1);
  const int64_t ranks = devices_needed(degrees);
  const int64_t known = cluster ? devices_of_a_host(*cluster, catalogue) : 0;
  const int64_t of_a_host = known > 0 ? known : usual_devices;
  const int64_t each = ranks <= of_a_host ? ranks : std::gcd(ranks, of_a_host);
  return {ranks / each, each};
}

std::string torchrun(const Hosts& hosts) {
  std::string text =
      fmt::format("torchrun --nnodes {} --nproc-per-node {}", hosts.count, hosts.ranks);
  if (hosts.count > 1)
    text +=
        " --rdzv-backend c10d --rdzv-endpoint "
        "\"${MASTER_ADDR:?the name of one of the hosts}:${MASTER_PORT:-29500}\"";
  return text;
}

std::string started_on(const Hosts& hosts) {
  if (hosts.count == 1) return {};
  return fmt::format(
      "start it on each of {0} hosts, with MASTER_ADDR as the name of one of them: srun --nodes "
      "{0} "
      "--ntasks-per-node 1 bash FILE",
      hosts.count);
}

std::string started_by(const Hosts& hosts, std::string_view program) {
  if (hosts.count == 1) return fmt::format("start it by: {} {}", torchrun(hosts), program);
  return fmt::format("start it on each of {} hosts by: {} {}", hosts.count, torchrun(hosts),
                     program);
}

}  // namespace pipewright::job
