#include "interop/nccl_topology.hpp"

#include <fmt/format.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <cmath>
#include <set>
#include <sstream>

#include "base/error.hpp"

namespace pipewright::nccl {
namespace {

using boost::property_tree::ptree;

constexpr size_t most_bytes = 16 << 20;
constexpr int most_depth = 64;

/// The parser calls itself for every tag within a tag: how deep it would.
int depth_of(const std::string& xml) {
  int depth = 0, deepest = 0;
  for (size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
    const char next = at + 1 < xml.size() ? xml[at + 1] : '\0';
    const size_t end = xml.find('>', at);
    const bool closes = end != std::string::npos && end > at + 1 && xml[end - 1] == '/';
    if (next == '/') --depth;
    if (next != '/' && next != '!' && next != '?' && !closes) deepest = std::max(deepest, ++depth);
  }
  return deepest;
}

class Reading {
 public:
  explicit Reading(const std::string& file) : file_(file) {}

  System run(const std::string& xml) {
    const ptree tree = parse(xml);
    if (tree.count("system") != 1) fail("an NCCL topology has one tag 'system'");
    const ptree& root = tree.get_child("system");
    check_version(root);
    System system;
    for (const auto& [tag, child] : root)
      if (tag == "cpu") system.cpus.push_back(read_cpu(child));
    if (devs_.empty())
      fail(
          "no tag 'gpu': what NCCL_TOPO_FILE is given leaves out the GPUs and NVLinks that NCCL "
          "finds "
          "itself; NCCL_TOPO_DUMP_FILE=FILE makes NCCL write them");
    if (without_class_) fail(fmt::format("pci {} has no class", *without_class_));
    check_devs();
    return system;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError({file_, 0, 0}, message);
  }

  ptree parse(const std::string& xml) const {
    if (xml.size() > most_bytes) fail("larger than any NCCL topology (16 MiB)");
    if (depth_of(xml) > most_depth) fail("tags within tags deeper than in any NCCL topology");
    ptree tree;
    std::istringstream in(xml);
    try {
      read_xml(in, tree, boost::property_tree::xml_parser::no_comments);
    } catch (const boost::property_tree::xml_parser_error& error) {
      throw InputError({file_, static_cast<int>(error.line()), 0}, "no XML: " + error.message());
    }
    return tree;
  }

  void check_version(const ptree& root) const {
    const auto version = root.get_optional<std::string>("<xmlattr>.version");
    if (version && (*version == "1" || *version == "2")) return;
    fail(fmt::format("an NCCL topology of {}; known are 1 and 2 (RCCL's)",
                     version ? "version '" + *version + "'" : "no version"));
  }

  std::string text(const ptree& tag, const char* attribute) const {
    return tag.get(std::string("<xmlattr>.") + attribute, std::string());
  }

  /// The number that an attribute begins with: "16.0 GT/s PCIe" is 16.
  double number(const ptree& tag, const char* attribute, const std::string& of) const {
    const std::string value = text(tag, attribute);
    size_t used = 0;
    double number = 0;
    try {
      number = std::stod(value, &used);
    } catch (const std::logic_error&) {
    }
    if (used == 0 || !std::isfinite(number) || number < 0)
      fail(fmt::format("{}: {}=\"{}\" should begin with a number", of, attribute, value));
    return number;
  }

  int whole(const ptree& tag, const char* attribute, const std::string& of, int most) const {
    const double value = number(tag, attribute, of);
    if (value > most || value != std::floor(value))
      fail(fmt::format("{}: {} must be a whole number up to {}", of, attribute, most));
    return static_cast<int>(value);
  }

  Cpu read_cpu(const ptree& tag) {
    Cpu cpu;
    // NCCL writes -1 where the machine has no NUMA.
    const std::string numa = text(tag, "numaid");
    cpu.numa = numa.starts_with("-") ? 0 : whole(tag, "numaid", "a cpu", 1 << 20);
    cpu.vendor = text(tag, "vendor");
    if (!text(tag, "modelid").empty()) cpu.model = whole(tag, "modelid", "a cpu", 1 << 20);
    for (const auto& [name, child] : tag) {
      if (name == "pci") cpu.below.push_back(read_pci(child));
      if (name == "nic") read_nets(child, cpu.nets);
    }
    return cpu;
  }

  Pci read_pci(const ptree& tag) {
    Pci pci;
    pci.busid = text(tag, "busid");
    pci.device = text(tag, "device");
    const std::string kind = text(tag, "class");
    if (kind.empty() && !without_class_) without_class_ = pci.busid;
    pci.infiniband = kind.starts_with("0x0207");
    pci.bandwidth = bandwidth(tag, pci.busid);
    for (const auto& [name, child] : tag) {
      if (name == "pci") pci.below.push_back(read_pci(child));
      if (name == "nic") read_nets(child, pci.nets);
      if (name == "gpu" && pci.gpu) fail(fmt::format("pci {} has two GPUs", pci.busid));
      if (name == "gpu") pci.gpu = read_gpu(child, pci.busid);
    }
    return pci;
  }

  /// Returns the bandwidth of all lanes in each direction. Up to 5 GT/s ten bits carry eight,
  /// beyond that 130 carry 128.
  double bandwidth(const ptree& tag, const std::string& busid) const {
    if (text(tag, "link_speed").empty() || text(tag, "link_width").empty()) return 0;
    const double transfers = number(tag, "link_speed", "pci " + busid);
    const int lanes = whole(tag, "link_width", "pci " + busid, 1024);
    return transfers * 1e9 * lanes / 8 * (transfers > 5 ? 128.0 / 130 : 0.8);
  }

  Gpu read_gpu(const ptree& tag, const std::string& busid) {
    const std::string of = "gpu " + busid;
    Gpu gpu{.dev = whole(tag, "dev", of, 1 << 20), .sm = whole(tag, "sm", of, 9999)};
    if (!devs_.insert(gpu.dev).second) fail(fmt::format("two GPUs are dev {}", gpu.dev));
    for (const auto& [name, child] : tag) {
      if (name != "nvlink" && name != "xgmi") continue;
      const std::string kind = text(child, "tclass");
      gpu.links.push_back({.target = text(child, "target"),
                           .count = whole(child, "count", of + " " + name, 1024),
                           .to = kind.starts_with("0x03")    ? NvLink::To::gpu
                                 : kind.starts_with("0x068") ? NvLink::To::nvswitch
                                                             : NvLink::To::cpu});
    }
    return gpu;
  }

  void read_nets(const ptree& tag, std::vector<Net>& nets) const {
    for (const auto& [name, child] : tag) {
      if (name != "net") continue;
      Net net{.name = text(child, "name")};
      const std::string of = "net " + net.name;
      net.dev = whole(child, "dev", of, 1 << 20);
      net.speed = number(child, "speed", of);
      if (!text(child, "latency").empty()) net.latency = number(child, "latency", of);
      nets.push_back(std::move(net));
    }
  }

  void check_devs() const {
    int next = 0;
    for (const int dev : devs_) {
      if (dev != next)
        fail(fmt::format("no GPU is dev {}, but one is dev {}", next, *devs_.rbegin()));
      ++next;
    }
  }

  const std::string& file_;
  std::set<int> devs_;
  std::optional<std::string> without_class_;  ///< the first PCI device that has none
};

}  // namespace

System read_topology(const std::string& xml, const std::string& file) {
  return Reading(file).run(xml);
}

}  // namespace pipewright::nccl
