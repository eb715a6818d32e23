#include "convert/nccl_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/error.hpp"

namespace pipewright {
namespace {

using config::Value;
using nccl::Cpu;
using nccl::Gpu;
using nccl::NvLink;
using nccl::Pci;

struct KnownDevice {
  std::string_view pci, name;
};
/// PCI device numbers (pci.ids) and the catalogue's devices.
constexpr KnownDevice known_devices[] = {
    {"0x15f9", "p100-sxm2-16g"}, {"0x1db1", "v100-sxm2-16g"}, {"0x1db5", "v100-sxm2-32g"},
    {"0x1db4", "v100-pcie-16g"}, {"0x20b0", "a100-sxm-40g"},  {"0x20b2", "a100-sxm-80g"},
    {"0x20b5", "a100-pcie-80g"}, {"0x2330", "h100-sxm"},      {"0x2331", "h100-pcie"},
    {"0x2324", "h800-sxm"},      {"0x2335", "h200-sxm"},      {"0x26b9", "l40s"},
    {"0x2901", "b200-sxm"},      {"0x74a1", "mi300x"}};

constexpr double pcie3 = 15.75e9;  ///< 16 lanes: where NCCL could not tell

/// Bytes/s of one NVLink in each direction. GA102's has four lanes of those of GA100's eight
/// ("NVIDIA Ampere GA102 GPU Architecture" whitepaper: 56.25 GB/s over four links).
double lane_bandwidth(int sm) {
  if (sm < 70) return 20e9;
  if (sm == 86) return 14.0625e9;
  return sm < 100 ? 25e9 : 50e9;
}

Value link_value(double bandwidth, const char* latency, const char* kind) {
  Value link;
  link.set("bandwidth", config::scalar(fmt::format("{:.6g} GB/s", bandwidth / 1e9)));
  link.set("latency", config::scalar(latency));
  link.set("kind", config::scalar(kind));
  return link;
}

/// A card with its ports.
struct Card {
  bool infiniband = false;
  double speed = 0;  ///< of all ports, Mb/s
  std::string at;    ///< the vertex above
  double bandwidth = 0;
};

/// The network cards of a node.
class Cards {
 public:
  void add(const std::vector<nccl::Net>& nets, Card card) {
    for (const nccl::Net& net : nets) card.speed += net.speed;
    if (!nets.empty()) cards_.push_back(card);
  }

  std::vector<Card> fastest() const {
    const bool any =
        std::any_of(cards_.begin(), cards_.end(), [](const Card& card) { return card.infiniband; });
    std::vector<Card> used;
    double fastest = 0;
    for (const Card& card : cards_)
      if (card.infiniband == any) fastest = std::max(fastest, card.speed);
    for (const Card& card : cards_)
      if (card.infiniband == any && card.speed == fastest && fastest > 0) used.push_back(card);
    return used;
  }

  /// A link of the catalogue where it has one of that speed.
  static Value port(const Card& card) {
    constexpr std::array<std::pair<double, const char*>, 4> infiniband = {
        {{100e3, "edr"}, {200e3, "hdr"}, {400e3, "ndr"}, {800e3, "xdr"}}};
    constexpr std::array<std::pair<double, const char*>, 7> ethernet = {{{1e3, "eth-1"},
                                                                         {10e3, "eth-10"},
                                                                         {25e3, "eth-25"},
                                                                         {100e3, "roce-100"},
                                                                         {200e3, "roce-200"},
                                                                         {400e3, "roce-400"},
                                                                         {800e3, "roce-800"}}};
    const auto named = [&](const auto& list) -> const char* {
      for (const auto& [speed, name] : list)
        if (speed == card.speed) return name;
      return nullptr;
    };
    const char* name = card.infiniband ? named(infiniband) : named(ethernet);
    return name ? config::scalar(name)
                : link_value(card.speed * 1e6 / 8, "5 us",
                             card.infiniband ? "infiniband" : "ethernet");
  }

 private:
  std::vector<Card> cards_;
};

class Drawing {
 public:
  Drawing(const nccl::System& system, const NcclNodeNames& names)
      : system_(system), names_(names) {}

  Value run() {
    links_.kind = Value::Kind::list;
    for (const Cpu& cpu : system_.cpus)
      for (const Pci& pci : cpu.below) list_gpus(pci);
    switches_ = count_planes();
    for (size_t host = 0; host < system_.cpus.size(); ++host) draw_host(host);
    draw_sockets();
    for (const Found& gpu : gpus_) draw_nvlinks(gpu);
    const std::vector<Card> used = cards_.fastest();
    for (size_t nic = 0; nic < used.size(); ++nic)
      join(used[nic].at, fmt::format("nic {}", nic), used[nic].bandwidth, "0.5 us", "pcie");
    return node(used);
  }

 private:
  struct Found {
    const Pci* pci;
    const Gpu* gpu;
  };

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError({names_.file, 0, 0}, message);
  }

  void list_gpus(const Pci& pci) {
    if (pci.gpu) gpus_.push_back({&pci, &*pci.gpu});
    if (pci.gpu) dev_of_[pci.busid] = pci.gpu->dev;
    for (const Pci& below : pci.below) list_gpus(below);
  }

  size_t count_planes() const {
    size_t planes = 0;
    for (const Found& found : gpus_)
      for (const NvLink& link : found.gpu->links)
        if (link.to == NvLink::To::nvswitch) planes = std::max(planes, link.plane + 1);
    return planes;
  }

  void join(const std::string& a, const std::string& b, double bandwidth, const char* latency,
            const char* kind) {
    Value between;
    between.kind = Value::Kind::list;
    between.items = {config::scalar(a), config::scalar(b)};
    Value link;
    link.set("between", std::move(between));
    link.set("link", link_value(bandwidth, latency, kind));
    links_.items.push_back(std::move(link));
  }

  static bool is_empty(const Pci& pci) {
    return !pci.gpu && pci.nets.empty() &&
           std::all_of(pci.below.begin(), pci.below.end(), is_empty);
  }

  void draw_host(size_t number) {
    const std::string host = fmt::format("host {}", number);
    for (const Pci& pci : system_.cpus[number].below) draw(pci, host, number, 0);
    cards_.add(system_.cpus[number].nets, {.at = host, .bandwidth = pcie3});
  }

  /// `least` is the bandwidth of switches above that were left out; 0: none.
  void draw(const Pci& pci, const std::string& above, size_t host, double least) {
    double bandwidth = pci.bandwidth > 0 ? pci.bandwidth : pcie3;
    if (least > 0) bandwidth = std::min(bandwidth, least);
    if (pci.gpu) {
      host_of_[pci.gpu->dev] = host;
      join(fmt::format("device {}", pci.gpu->dev), above, bandwidth, "0.5 us", "pcie");
    }
    cards_.add(pci.nets, {pci.infiniband, 0, above, bandwidth});
    const auto things = std::count_if(pci.below.begin(), pci.below.end(),
                                      [](const Pci& below) { return !is_empty(below); });
    std::string here = above;
    double left_out = bandwidth;
    if (things > 1) {
      here = fmt::format("switch {}", switches_++);
      join(here, above, bandwidth, "0.5 us", "pcie");
      left_out = 0;
    }
    for (const Pci& below : pci.below)
      if (!is_empty(below)) draw(below, here, host, left_out);
  }

  static double socket_bandwidth(const Cpu& cpu) {
    if (cpu.bandwidth > 0) return cpu.bandwidth;
    if (cpu.vendor == "AuthenticAMD" || cpu.vendor == "AMD") return 16e9;
    if (cpu.vendor == "GenuineIntel") return cpu.model >= 143 ? 22e9 : 10e9;
    if (cpu.vendor == "IBM") return 32e9;
    return cpu.vendor == "ARM" ? 6e9 : 10e9;
  }

  void draw_sockets() {
    for (size_t a = 0; a < system_.cpus.size(); ++a) {
      for (size_t b = a + 1; b < system_.cpus.size(); ++b) {
        join(fmt::format("host {}", a), fmt::format("host {}", b),
             socket_bandwidth(system_.cpus[a]), "0.5 us", "other");
      }
    }
  }

  void draw_nvlinks(const Found& found) {
    const std::string device = fmt::format("device {}", found.gpu->dev);
    const double lane = found.gpu->lane > 0 ? found.gpu->lane : lane_bandwidth(found.gpu->sm);
    std::map<size_t, int> to_plane;
    for (const NvLink& link : found.gpu->links) {
      if (link.to == NvLink::To::nvswitch) to_plane[link.plane] += link.count;
      if (link.to == NvLink::To::cpu && link.count > 0)
        join(device, fmt::format("host {}", host_of_.at(found.gpu->dev)), lane * link.count,
             "0.6 us", "nvlink");
      if (link.to == NvLink::To::gpu) draw_pair(*found.gpu, link, lane);
    }
    for (const auto& [plane, count] : to_plane)
      if (count > 0)
        join(device, fmt::format("switch {}", plane), lane * count, "0.3 us", "nvlink");
  }

  void draw_pair(const Gpu& gpu, const NvLink& link, double lane) {
    const auto other = dev_of_.find(link.target);
    if (other == dev_of_.end()) {
      fail(fmt::format("an nvlink of GPU {} goes to '{}', which is no GPU of this topology",
                       gpu.dev, link.target));
    }
    // One to the GPU itself, as files for virtual machines have it, joins nothing; of two the
    // first draws the pair.
    if (other->second <= gpu.dev || link.count == 0) return;
    join(fmt::format("device {}", gpu.dev), fmt::format("device {}", other->second),
         lane * link.count, "0.6 us", "nvlink");
  }

  std::string device_name() const {
    if (!names_.device.empty()) return names_.device;
    const std::string& pci = gpus_.front().pci->device;
    for (const Found& found : gpus_)
      if (found.pci->device != pci)
        fail(fmt::format("GPUs of several kinds ({} and {}): name one with --device", pci,
                         found.pci->device));
    for (const KnownDevice& known : known_devices)
      if (known.pci == pci) return std::string(known.name);
    fail(
        fmt::format("GPU {} (sm {}) is not known by its number: name a device of the catalogue "
                    "with --device ('pipewright list devices')",
                    pci, gpus_.front().gpu->sm));
  }

  Value node(const std::vector<Card>& used) {
    Value node;
    if (!names_.name.empty()) node.set("name", config::scalar(names_.name)).quoted = true;
    node.set("description", config::scalar(names_.source + ": " + names_.file)).quoted = true;
    node.set("device", config::scalar(device_name()));
    node.set("devices", config::number(static_cast<int64_t>(gpus_.size())));
    Value& interconnect = node.set("interconnect", {});
    interconnect.set("kind", config::scalar("graph"));
    interconnect.set("links", std::move(links_));
    if (used.empty()) return node;
    Value& fabric = node.set("fabric", {});
    fabric.set("kind", config::scalar("fat-tree"));
    fabric.set("link", names_.nic_link.empty() ? Cards::port(used.front())
                                               : config::scalar(names_.nic_link));
    fabric.set("nics", config::number(static_cast<int64_t>(used.size())));
    return node;
  }

  const nccl::System& system_;
  const NcclNodeNames& names_;
  std::vector<Found> gpus_;
  std::map<std::string, int> dev_of_;  // by bus id
  std::map<int, size_t> host_of_;      // by dev
  Cards cards_;
  size_t switches_ = 0;
  Value links_;
};

}  // namespace

Value node_of_nccl(const nccl::System& system, const NcclNodeNames& names) {
  return Drawing(system, names).run();
}

}  // namespace pipewright
