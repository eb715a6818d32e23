#include "network/nccl/tuning.hpp"

#include <fmt/format.h>

#include "config/catalogue.hpp"
#include "topology/cluster/nccl_release.hpp"

namespace pipewright {
namespace {

using config::Fields;
using config::Value;

template <class Read>
std::array<double, 3> three(const Value& value, const char* what, Read&& read) {
  if (!value.is_list() || value.items.size() != 3)
    value.fail(fmt::format("expected three {}", what));
  return {read(value.items[0]), read(value.items[1]), read(value.items[2])};
}

double seconds_of(const Value& value) { return in_seconds(config::as_time(value)); }
double bytes_per_s(const Value& value) { return config::as_bandwidth(value).bytes_per_s; }

PerProtocol times(const Value& value) {
  return three(value, "times: LL, LL128, Simple", seconds_of);
}
PerScale rates(const Value& value) {
  return three(value, "bandwidths: one node, two, more", bytes_per_s);
}

NcclHops hops(const Value& value) {
  const Fields fields(value, "hop latencies",
                      {"ring", "tree", "nvls", "nvls_tree", "collnet_direct", "collnet_chain"});
  NcclHops hops{.ring = times(fields.at("ring")), .tree = times(fields.at("tree"))};
  hops.nvls_s = in_seconds(fields.time("nvls", {}));
  hops.nvls_tree_s = in_seconds(fields.time("nvls_tree", {}));
  hops.collnet_direct_s = in_seconds(fields.time("collnet_direct", {}));
  hops.collnet_chain_s = in_seconds(fields.time("collnet_chain", {}));
  return hops;
}

std::vector<double> factors(const Value& value) {
  if (!value.is_list() || value.items.empty()) value.fail("expected a list of factors");
  std::vector<double> all;
  for (const Value& item : value.items) all.push_back(config::as_number(item, 0.01, 10));
  return all;
}

void read_nvls(NcclTuning& tuning, const Value& value) {
  const Fields fields(value, "nvls", {"efficiency", "speeds"});
  tuning.nvls.efficiency = config::as_fraction(fields.at("efficiency"), 0.01, 1);
  const Value& speeds = fields.at("speeds");
  if (!speeds.is_list() || speeds.items.empty())
    speeds.fail("expected a list of bandwidths, fastest first");
  for (const Value& speed : speeds.items) tuning.nvls.speeds.push_back(bytes_per_s(speed));
}

void read_hops(NcclTuning& tuning, const Value& value) {
  const Fields fields(value, "hop", {"nvlink", "pcie", "network"});
  tuning.nvlink = hops(fields.at("nvlink"));
  tuning.pcie = hops(fields.at("pcie"));
  tuning.network = hops(fields.at("network"));
}

/// Reads `{before: 2.23, hop: 44 us}`.
void read_older(const Value& value, NcclFabric& fabric) {
  const Fields fields(value, "older plug-ins", {"before", "hop"});
  fabric.older_before = read_nccl_release(fields.at("before"));
  fabric.older_hop_s = in_seconds(fields.time("hop", {}));
}

NcclFabric read_fabric(const Value& value) {
  const Fields fields(value, "a fabric",
                      {"share", "told", "hop", "eager", "rendezvous", "older", "spread"});
  NcclFabric fabric;
  if (const Value* share = fields.find("share"))
    fabric.share = three(*share, "fractions: LL, LL128, Simple",
                         [](const Value& v) { return config::as_fraction(v, 0, 1); });
  fabric.plug_in = fields.find("hop") != nullptr;
  fabric.hop_s = in_seconds(fields.time("hop", {}));
  fabric.told_s = in_seconds(fields.time("told", seconds(fabric.hop_s)));
  fabric.rendezvous_s = in_seconds(fields.time("rendezvous", {}));
  if (const Value* eager = fields.find("eager"))
    fabric.eager_bytes = static_cast<double>(config::as_bytes(*eager).count);
  if (const Value* older = fields.find("older")) read_older(*older, fabric);
  if (fabric.share.back() <= 0) value.fail("Simple must reach a share of the bandwidth");
  fabric.spread = fields.real("spread", 0, 0, 10);
  return fabric;
}

void read_fabrics(NcclTuning& tuning, const Value& value) {
  std::vector<std::string_view> names;
  for (size_t kind = 0; kind < link_kind_count; ++kind)
    names.push_back(name(LinkKind{uint8_t(kind)}));
  const Fields fields(value, "fabrics", names);
  for (size_t kind = 0; kind < link_kind_count; ++kind)
    if (const Value* one = fields.find(names[kind])) tuning.fabrics[kind] = read_fabric(*one);
}

void read_base(NcclTuning& tuning, const Value& value) {
  const Fields fields(value, "latency", {"ring", "tree"});
  tuning.ring_base_s = times(fields.at("ring"));
  tuning.tree_base_s = times(fields.at("tree"));
}

}  // namespace

std::string_view name(NcclProtocol protocol) {
  constexpr std::string_view names[] = {"LL", "LL128", "Simple"};
  return names[static_cast<size_t>(protocol)];
}

NcclTuning read_nccl_tuning(const Value& value, const config::Catalogue& catalogue) {
  const Value entry = catalogue.resolve("nccl", value);
  const Fields fields(entry, "NCCL's tuning",
                      {"description",
                       "ring_bandwidth",
                       "channels",
                       "latency",
                       "hop",
                       "post",
                       "ll_most",
                       "ll128_channel_most",
                       "tree_channel_most",
                       "tree_ll128_channel_most",
                       "nvls_tree_channel_most",
                       "nvls",
                       "fabrics",
                       "tree_correction",
                       "threads",
                       "thread_bytes",
                       "profile",
                       "source",
                       "verified",
                       "notes"});
  NcclTuning tuning;
  tuning.name = config::name_of(value).value_or("tuning");
  tuning.ring_bandwidth = bytes_per_s(fields.at("ring_bandwidth"));
  tuning.channels = static_cast<int>(fields.integer("channels", 1, 1, 64));
  read_base(tuning, fields.at("latency"));
  read_hops(tuning, fields.at("hop"));
  tuning.post_s = in_seconds(fields.time("post", {}));
  tuning.most.ll = rates(fields.at("ll_most"));
  tuning.most.ll128_channel = rates(fields.at("ll128_channel_most"));
  tuning.most.tree_channel = rates(fields.at("tree_channel_most"));
  tuning.most.tree_ll128_channel = rates(fields.at("tree_ll128_channel_most"));
  if (const Value* most = fields.find("nvls_tree_channel_most"))
    tuning.nvls.tree_channel_most = rates(*most);
  if (const Value* all = fields.find("fabrics")) read_fabrics(tuning, *all);
  if (const Value* nvls = fields.find("nvls")) read_nvls(tuning, *nvls);
  const Value& correction = fields.at("tree_correction");
  if (!correction.is_list() || correction.items.size() != nccl_protocols)
    correction.fail("expected a list for each of LL, LL128, Simple");
  for (size_t p = 0; p < nccl_protocols; ++p)
    tuning.tree_correction[p] = factors(correction.items[p]);
  const auto count = [](const Value& v) { return config::as_number(v, 1, 1e6); };
  tuning.threads = three(fields.at("threads"), "counts", count);
  tuning.thread_bytes = three(fields.at("thread_bytes"), "counts", count);
  return tuning;
}

}  // namespace pipewright
