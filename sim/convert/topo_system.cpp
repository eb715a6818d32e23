#include "convert/topo_system.hpp"

#include <algorithm>
#include <functional>

namespace pipewright {
namespace {

using interop::PathKind;
using interop::TopoMatrix;
using interop::TopoPath;
using interop::TopoThing;

using Members = std::vector<size_t>;

/// `members` in groups of those that are joined directly or over others, in order.
std::vector<Members> groups(const Members& members,
                            const std::function<bool(size_t, size_t)>& joined) {
  std::vector<Members> all;
  std::vector<size_t> left = members;
  while (!left.empty()) {
    Members group = {left.front()};
    left.erase(left.begin());
    for (size_t at = 0; at < group.size(); ++at) {
      const auto end = std::stable_partition(
          left.begin(), left.end(), [&](size_t other) { return !joined(group[at], other); });
      group.insert(group.end(), end, left.end());
      left.erase(end, left.end());
    }
    std::sort(group.begin(), group.end());
    all.push_back(std::move(group));
  }
  return all;
}

/// PCIe's part of a path is hidden where it is NVLink.
bool within(const TopoPath& path, PathKind most) {
  return path.kind != PathKind::nvlink && path.kind <= most;
}

int links_of(const TopoMatrix& matrix, size_t gpu) {
  int links = 0;
  for (const TopoPath& path : matrix.paths[gpu]) links += path.links;
  return links;
}

class Building {
 public:
  Building(const TopoMatrix& matrix, const TopoParts& parts)
      : matrix_(matrix), parts_(parts), nvswitch_(has_nvswitch(matrix, parts.nvlink.lanes)) {}

  nccl::System run() {
    Members used;
    for (size_t at = 0; at < matrix_.things.size(); ++at) {
      devs_.push_back(next_dev_);
      if (matrix_.things[at].gpu) ++next_dev_;
      if (matrix_.things[at].gpu || parts_.used[at]) used.push_back(at);
    }
    planes_ = groups(used, [&](size_t a, size_t b) { return matrix_.paths[a][b].links > 0; });
    std::erase_if(planes_, [](const Members& plane) { return plane.size() == 1; });
    nccl::System system;
    for (const Members& node : numa_nodes(used)) {
      nccl::Cpu cpu{.numa = static_cast<int>(system.cpus.size()), .bandwidth = parts_.between};
      for (const Members& below : split(node, PathKind::pxb)) cpu.below.push_back(upper(below));
      system.cpus.push_back(std::move(cpu));
    }
    return system;
  }

 private:
  bool any_gpu(const Members& members) const {
    return std::any_of(members.begin(), members.end(),
                       [&](size_t at) { return matrix_.things[at].gpu; });
  }

  std::vector<Members> numa_nodes(const Members& used) const {
    std::vector<Members> nodes =
        groups(used, [&](size_t a, size_t b) { return share_numa_node(a, b); });
    if (!matrix_.things[used.front()].own_numa) return nodes;
    const auto end = std::stable_partition(nodes.begin(), nodes.end(),
                                           [&](const Members& node) { return any_gpu(node); });
    const auto with = static_cast<size_t>(end - nodes.begin()), without = nodes.size() - with;
    for (size_t at = 0; at < without; ++at) {
      Members& node = nodes[at * with / without];
      node.insert(node.end(), nodes[with + at].begin(), nodes[with + at].end());
    }
    nodes.resize(with);
    return nodes;
  }

  bool share_numa_node(size_t a, size_t b) const {
    const TopoPath& path = matrix_.paths[a][b];
    if (within(path, PathKind::node)) return true;
    const TopoThing &one = matrix_.things[a], &other = matrix_.things[b];
    if (!one.gpu || !other.gpu || (one.cpus + one.numa).empty()) return false;
    const bool known = !one.numa.empty() && one.numa != "N/A";
    return one.cpus == other.cpus && one.numa == other.numa &&
           (known || path.kind == PathKind::nvlink);
  }

  std::vector<Members> split(const Members& members, PathKind most) const {
    return groups(members, [&](size_t a, size_t b) { return within(matrix_.paths[a][b], most); });
  }

  nccl::Pci upper(const Members& members) const {
    nccl::Pci bridge{.bandwidth = parts_.pcie};
    for (const Members& below : split(members, PathKind::pix)) {
      nccl::Pci lower{.bandwidth = parts_.pcie};
      for (const size_t thing : below) lower.below.push_back(leaf(thing));
      bridge.below.push_back(std::move(lower));
    }
    return bridge;
  }

  nccl::Pci leaf(size_t at) const {
    const TopoThing& thing = matrix_.things[at];
    nccl::Pci pci{.busid = thing.label, .bandwidth = parts_.pcie};
    if (thing.gpu)
      pci.gpu = nccl::Gpu{.dev = devs_[at], .links = links(at), .lane = lane()};
    else
      pci.nets.push_back({.name = thing.name, .speed = 1});  // one kind of NIC: all as fast
    return pci;
  }

  double lane() const { return parts_.nvlink.bandwidth.bytes_per_s / parts_.nvlink.lanes; }

  std::vector<nccl::NvLink> links(size_t gpu) const {
    std::vector<nccl::NvLink> links;
    for (size_t at = 0; at < matrix_.things.size(); ++at)
      if (const int count = matrix_.paths[gpu][at].links; count > 0)
        links.push_back({matrix_.things[at].label, count, nccl::NvLink::To::gpu});
    if (!nvswitch_ || links.empty()) return links;
    const auto most = std::max_element(
        links.begin(), links.end(),
        [](const nccl::NvLink& a, const nccl::NvLink& b) { return a.count < b.count; });
    return {{"", most->count, nccl::NvLink::To::nvswitch, plane_of(gpu)}};
  }

  size_t plane_of(size_t gpu) const {
    const auto plane = std::find_if(planes_.begin(), planes_.end(), [&](const Members& members) {
      return std::find(members.begin(), members.end(), gpu) != members.end();
    });
    return static_cast<size_t>(plane - planes_.begin());
  }

  const TopoMatrix& matrix_;
  const TopoParts& parts_;
  bool nvswitch_;
  std::vector<int> devs_;  // of GPUs, by thing
  int next_dev_ = 0;
  std::vector<Members> planes_;  // of GPUs that NVLinks join
};

}  // namespace

bool has_nvlink(const TopoMatrix& matrix) {
  for (size_t at = 0; at < matrix.things.size(); ++at)
    if (links_of(matrix, at) > 0) return true;
  return false;
}

bool has_nvswitch(const TopoMatrix& matrix, int lanes) {
  for (size_t at = 0; at < matrix.things.size(); ++at)
    if (links_of(matrix, at) > lanes) return true;
  return false;
}

std::vector<bool> near_nics(const TopoMatrix& matrix) {
  std::vector<bool> near, all;
  for (size_t at = 0; at < matrix.things.size(); ++at) {
    bool has_gpu = false;
    for (size_t other = 0; other < matrix.things.size(); ++other)
      if (matrix.things[other].gpu && within(matrix.paths[at][other], PathKind::pxb))
        has_gpu = true;
    all.push_back(!matrix.things[at].gpu);
    near.push_back(all.back() && has_gpu);
  }
  return std::find(near.begin(), near.end(), true) == near.end() ? all : near;
}

nccl::System system_of_topo(const TopoMatrix& matrix, const TopoParts& parts) {
  return Building(matrix, parts).run();
}

}  // namespace pipewright
