// NCCL's XML, written by hand after dumps in NVIDIA/nccl's issues 1505 (DGX A100) and 1182 (H100)
// and of a DGX-1: only the facts.
#include "convert/nccl_node.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "clusters.hpp"
#include "config/emit.hpp"
#include "support/error_of.hpp"

namespace pipewright {
namespace {

using test::error_of;

std::string pci(const std::string& busid, const std::string& kind, const std::string& device,
                const std::string& inside, const char* speed = "16.0 GT/s PCIe") {
  return fmt::format(
      "<pci busid=\"{}\" class=\"{}\" device=\"{}\" link_speed=\"{}\" link_width=\"16\">{}</pci>",
      busid, kind, device, speed, inside);
}
std::string gpu(int dev, int sm, const std::string& links) {
  return fmt::format("<gpu dev=\"{}\" sm=\"{}\" rank=\"{}\" gdr=\"1\">{}</gpu>", dev, sm, dev,
                     links);
}
std::string card(int dev, int speed) {
  return fmt::format(
      "<nic><net name=\"mlx5_{}\" dev=\"{}\" speed=\"{}\" port=\"1\" "
      "latency=\"0.000000\" gdr=\"1\"/></nic>",
      dev, dev, speed);
}
std::string cpu(int numa, const std::string& vendor, const std::string& inside) {
  return fmt::format("<cpu numaid=\"{}\" arch=\"x86_64\" vendor=\"{}\" modelid=\"49\">{}</cpu>",
                     numa, vendor, inside);
}
std::string system_of(const std::string& inside, const std::string& version = "1") {
  return "<system version=\"" + version + "\">" + inside + "</system>";
}

/// Four sockets, on each a switch with two GPUs and two HDR cards; twelve lanes of NVLink from each
/// GPU to six NVSwitches; a card of two slower ports for storage, two bridges deep.
std::string dgx_a100() {
  std::string nvswitches;
  for (int k = 4; k < 10; ++k)
    nvswitches +=
        fmt::format("<nvlink target=\"0000:c{}:00.0\" count=\"2\" tclass=\"0x068000\"/>", k);
  std::string sockets;
  for (int s = 0; s < 4; ++s) {
    std::string inside;
    for (int k = 0; k < 2; ++k) {
      const int dev = 2 * s + k;
      inside +=
          pci(fmt::format("0000:{}7:00.0", dev), "0x030200", "0x20b2", gpu(dev, 80, nvswitches));
      inside += pci(fmt::format("0000:{}2:00.0", dev), "0x020700", "0x101b", card(dev, 200000));
    }
    inside = pci(fmt::format("0000:{}1:00.0", s), "0x060400", "0xc010", inside);
    if (s == 3) {
      const std::string storage = pci("0000:61:00.0", "0x020700", "0x101b", card(8, 100000));
      inside += pci("0000:60:00.0", "0x060400", "0xc010", storage);
    }
    sockets += cpu(s, "AuthenticAMD", inside);
  }
  return system_of(sockets);
}

config::Value node(const std::string& xml, const NcclNodeNames& names = {"t.xml", "", ""}) {
  return node_of_nccl(nccl::read_topology(xml, "t.xml"), names);
}

Cluster cluster(const config::Value& node, int nodes) {
  config::Value value;
  // As a user would: through its YAML.
  value.set("node", config::parse(config::to_yaml(node), "made.yaml"));
  value.set("nodes", config::number(nodes));
  return read_cluster(value, config::Catalogue());
}

// 12 lanes of 25 GB/s to the switches; 16 lanes of PCIe 4 are 31.5 GB/s.
TEST(NcclNode, a_dgx_a100) {
  const config::Value made = node(dgx_a100());
  EXPECT_EQ(made.find("device")->text, "a100-sxm-80g");
  EXPECT_EQ(made.find("devices")->text, "8");
  EXPECT_EQ(made.find("fabric")->find("link")->text, "hdr");
  EXPECT_EQ(made.find("fabric")->find("nics")->text, "8");
  const Cluster two = cluster(made, 2);
  EXPECT_EQ(two.devices(), 16);
  const Route near = two.topology.route(0, 7);
  EXPECT_DOUBLE_EQ(near.bottleneck.bytes_per_s, 300e9);
  EXPECT_EQ(near.latency, nanoseconds(600));
  EXPECT_EQ(test::count(two.topology, VertexKind::nic), 16);
  // Over a card under its own switch, whose 200 Gb/s are less than PCIe's.
  EXPECT_DOUBLE_EQ(two.topology.route(5, 13).bottleneck.bytes_per_s, 25e9);
  EXPECT_EQ(test::kinds_of(two.topology, two.topology.route(5, 13)),
            "pcie pcie infiniband infiniband pcie pcie");
}

// Eighteen lanes of 25 GB/s; PCIe 5.
TEST(NcclNode, an_h100_counts_all_lanes_to_invisible_switches) {
  const std::string links = "<nvlink target=\"fffffff:ffff:ff\" count=\"18\" tclass=\"0x068000\"/>";
  std::string inside;
  for (int dev = 0; dev < 2; ++dev)
    inside += pci(fmt::format("0000:1{}:00.0", dev), "0x030200", "0x2330", gpu(dev, 90, links),
                  "32.0 GT/s PCIe");
  const config::Value made = node(system_of(cpu(0, "GenuineIntel", inside)));
  EXPECT_EQ(made.find("device")->text, "h100-sxm");
  EXPECT_EQ(made.find("fabric"), nullptr);
  EXPECT_DOUBLE_EQ(cluster(made, 1).topology.route(0, 1).bottleneck.bytes_per_s, 450e9);
}

// GPUs 0 and 1 on two lanes, 1 and 2 on one; 0 and 2 have none and go over the PCIe switch.
// Azure's ncv4-topo.xml says links of every GPU to itself (azhpc-images, topology/).
TEST(NcclNode, an_nvlink_of_a_gpu_to_itself_joins_nothing) {
  const auto node = [](const std::string& link) {
    const std::string xml = system_of(
        cpu(0, "AuthenticAMD", pci("0000:01:00.0", "0x030200", "0x20b5", gpu(0, 80, link))));
    return config::to_yaml(
        node_of_nccl(nccl::read_topology(xml, "t.xml"), {"t.xml", "", "a100-pcie-80g"}));
  };
  EXPECT_EQ(node("<nvlink target=\"0000:01:00.0\" count=\"12\" tclass=\"0x030200\"/>"), node(""));
}

TEST(NcclNode, nvlinks_between_gpus_are_drawn_one_by_one) {
  const auto link = [](int to, int count) {
    return fmt::format("<nvlink target=\"0000:0{}:00.0\" count=\"{}\" tclass=\"0x030200\"/>", to,
                       count);
  };
  const std::string gpus =
      pci("0000:00:00.0", "0x030200", "0x1db1", gpu(0, 70, link(1, 2)), "8 GT/s") +
      pci("0000:01:00.0", "0x030200", "0x1db1", gpu(1, 70, link(0, 2) + link(2, 1)), "8 GT/s") +
      pci("0000:02:00.0", "0x030200", "0x1db1", gpu(2, 70, link(1, 1)), "8 GT/s");
  const Cluster one = cluster(
      node(system_of(cpu(0, "GenuineIntel", pci("0000:09:00.0", "0x060400", "0x8747", gpus)))), 1);
  EXPECT_DOUBLE_EQ(one.topology.route(0, 1).bottleneck.bytes_per_s, 50e9);
  EXPECT_DOUBLE_EQ(one.topology.route(2, 1).bottleneck.bytes_per_s, 25e9);
  EXPECT_EQ(test::kinds_of(one.topology, one.topology.route(0, 2)), "pcie pcie");
}

// GA102 has four lanes a link: 14.0625 GB/s each way, 56.25 GB/s over all four (NVIDIA's
// whitepaper).
TEST(NcclNode, nvlinks_of_workstations_are_half_as_wide) {
  const auto link = [](int to) {
    return fmt::format("<nvlink target=\"0000:0{}:00.0\" count=\"4\" tclass=\"0x030200\"/>", to);
  };
  const std::string gpus = pci("0000:00:00.0", "0x030200", "0x26b9", gpu(0, 86, link(1))) +
                           pci("0000:01:00.0", "0x030200", "0x26b9", gpu(1, 86, link(0)));
  const Cluster one = cluster(
      node(system_of(cpu(0, "GenuineIntel", pci("0000:09:00.0", "0x060400", "0x8747", gpus)))), 1);
  EXPECT_DOUBLE_EQ(one.topology.route(0, 1).bottleneck.bytes_per_s, 56.25e9);
}

TEST(NcclNode, what_is_wrong_is_one_clear_line) {
  const std::string gpu0 = pci("0000:00:00.0", "0x030200", "0x2330", gpu(0, 90, ""));
  const auto error = [](const std::string& xml) { return error_of([&] { node(xml); }); };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", "t.xml"},
      {"not xml at all", "t.xml"},
      {"<system version=\"1\"><cpu numaid=\"0\">", "t.xml:1: error: no XML: "},
      {"<graphs version=\"1\"/>", "t.xml: error: an NCCL topology has one tag 'system'"},
      {system_of("", "7"), "t.xml: error: an NCCL topology of version '7'; known are 1 and 2"},
      {"<system/>", "t.xml: error: an NCCL topology of no version"},
      {system_of(cpu(0, "ARM", "")),
       "t.xml: error: no tag 'gpu': what NCCL_TOPO_FILE is given leaves out the GPUs and NVLinks "
       "that NCCL finds itself; NCCL_TOPO_DUMP_FILE=FILE makes NCCL write them"},
      {system_of(cpu(0, "ARM", gpu0 + gpu0)), "t.xml: error: two GPUs are dev 0"},
      {system_of(cpu(0, "ARM", pci("0", "0x03", "0x2330", gpu(1, 90, "")))),
       "t.xml: error: no GPU is dev 0, but one is dev 1"},
      {system_of(cpu(0, "ARM", pci("0", "0x03", "0xbeef", gpu(0, 90, "")))),
       "t.xml: error: GPU 0xbeef (sm 90) is not known by its number: name a device"},
      {system_of(cpu(0, "ARM", gpu0 + pci("1", "0x03", "0x20b2", gpu(1, 80, "")))),
       "t.xml: error: GPUs of several kinds (0x2330 and 0x20b2)"},
      {system_of(cpu(0, "ARM",
                     pci("0", "0x03", "0x2330",
                         gpu(0, 90, "<nvlink target=\"x\" count=\"1\" tclass=\"0x0302\"/>")))),
       "t.xml: error: an nvlink of GPU 0 goes to 'x', which is no GPU of this topology"},
      {system_of(cpu(0, "ARM", pci("0", "0x03", "0x2330", "<gpu dev=\"x\" sm=\"90\"/>"))),
       "t.xml: error: gpu 0: dev=\"x\" should begin with a number"},
  };
  for (const auto& [xml, message] : cases)
    EXPECT_NE(error(xml).find(message), std::string::npos) << error(xml) << "\n" << message;
  std::string deep;
  for (int k = 0; k < 100000; ++k) deep += "<a>";
  EXPECT_NE(error(deep).find("deeper than in any NCCL topology"), std::string::npos);
}

TEST(NcclNode, names_are_the_user_s_where_given) {
  const std::string gpu0 = pci("0000:00:00.0", "0x030200", "0xbeef", gpu(0, 90, ""));
  const config::Value made = node(system_of(cpu(0, "ARM", gpu0)), {"t.xml", "my-node", "h200-sxm"});
  EXPECT_EQ(made.find("name")->text, "my-node");
  EXPECT_EQ(made.find("device")->text, "h200-sxm");
}

}  // namespace
}  // namespace pipewright
