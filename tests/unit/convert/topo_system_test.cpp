// Matrices of machines: DGX-1 V100, a DGX-2 cut to four GPUs (the whole one is in
// NVIDIA/nccl-tests' issue 78), HGX with four A100, DGX A100 (NVIDIA/nccl, issue 1505), a node of
// GB200 (sgl-project/sglang, issue 11208) and workstations. Written by hand, only the facts.
#include "convert/topo_system.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "clusters.hpp"
#include "config/emit.hpp"
#include "convert/nccl_node.hpp"

namespace pipewright {
namespace {

constexpr const char* dgx_1 =
    "     GPU0 GPU1 GPU2 GPU3 GPU4 GPU5 GPU6 GPU7 mlx5_0 mlx5_2 mlx5_1 mlx5_3 CPU Affinity\n"
    "GPU0   X  NV1  NV1  NV2  NV2  SYS  SYS  SYS  PIX    SYS    PHB    SYS    0-19,40-59\n"
    "GPU1  NV1  X   NV2  NV1  SYS  NV2  SYS  SYS  PIX    SYS    PHB    SYS    0-19,40-59\n"
    "GPU2  NV1 NV2   X   NV2  SYS  SYS  NV1  SYS  PHB    SYS    PIX    SYS    0-19,40-59\n"
    "GPU3  NV2 NV1  NV2   X   SYS  SYS  SYS  NV1  PHB    SYS    PIX    SYS    0-19,40-59\n"
    "GPU4  NV2 SYS  SYS  SYS   X   NV1  NV1  NV2  SYS    PIX    SYS    PHB    20-39,60-79\n"
    "GPU5  SYS NV2  SYS  SYS  NV1   X   NV2  NV1  SYS    PIX    SYS    PHB    20-39,60-79\n"
    "GPU6  SYS SYS  NV1  SYS  NV1  NV2   X   NV2  SYS    PHB    SYS    PIX    20-39,60-79\n"
    "GPU7  SYS SYS  SYS  NV1  NV2  NV1  NV2   X   SYS    PHB    SYS    PIX    20-39,60-79\n"
    "mlx5_0 PIX PIX PHB  PHB  SYS  SYS  SYS  SYS   X     SYS    PHB    SYS\n"
    "mlx5_2 SYS SYS SYS  SYS  PIX  PIX  PHB  PHB  SYS     X     SYS    PHB\n"
    "mlx5_1 PHB PHB PIX  PIX  SYS  SYS  SYS  SYS  PHB    SYS     X     SYS\n"
    "mlx5_3 SYS SYS SYS  SYS  PHB  PHB  PIX  PIX  SYS    PHB    SYS     X\n";

/// Eight GPUs, two on each of four NUMA nodes, with two NICs behind the same bridges, and two NICs
/// for storage elsewhere.
std::string dgx_a100_matrix() {
  constexpr int gpus = 8, things = 18;
  const auto label = [](int at) {
    return at < gpus ? fmt::format("GPU{}", at) : fmt::format("NIC{}", at - gpus);
  };
  const auto numa = [](int at) { return (at < gpus ? at : at - gpus) / 2; };
  std::string text, rows;
  for (int row = 0; row < things; ++row) {
    text += "\t" + label(row);
    rows += label(row);
    for (int other = 0; other < things; ++other)
      rows += row == other                 ? "\t X "
              : row < gpus && other < gpus ? "\tNV12"
              : numa(row) != numa(other)   ? "\tSYS"
              : row >= things - 2          ? "\tPIX"
                                           : "\tPXB";
    rows += row < gpus ? fmt::format("\t{}-9\t{}\t\tN/A\n", numa(row), numa(row)) : "\t\t\t\n";
  }
  return text + "\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n" + rows;
}

/// GPUs of one NUMA node with the same path between all.
std::string alike(int gpus, const std::string& path) {
  std::string text, rows;
  for (int row = 0; row < gpus; ++row) {
    text += fmt::format(" GPU{}", row);
    rows += fmt::format("GPU{}", row);
    for (int other = 0; other < gpus; ++other) rows += row == other ? " X" : " " + path;
    rows += " 0-63 0\n";
  }
  return text + " CPU Affinity NUMA Affinity\n" + rows;
}

config::Value node(const std::string& text, const char* device, const char* nvlink,
                   const char* nic = "") {
  const interop::TopoMatrix matrix = interop::read_topo_matrix(text, "t.txt");
  const TopoParts parts{.pcie = 31e9,
                        .nvlink = read_link(config::scalar(nvlink), config::Catalogue()),
                        .used = near_nics(matrix)};
  return node_of_nccl(system_of_topo(matrix, parts),
                      {.file = "t.txt", .device = device, .nic_link = nic});
}

Cluster cluster_of_node(const config::Value& node, int nodes) {
  config::Value value;
  value.set("node", config::parse(config::to_yaml(node), "made.yaml"));
  value.set("nodes", config::number(nodes));
  return read_cluster(value, config::Catalogue());
}

double bandwidth(const Cluster& cluster, int from, int to) {
  return cluster.topology.route(from, to).bottleneck.bytes_per_s;
}

// A link of NVLink 2 has 25 GB/s. A PIX makes a switch, four in all, with a NIC of 100 Gb/s each.
TEST(TopoSystem, a_dgx_1_has_the_links_of_its_cube) {
  const config::Value made = node(dgx_1, "v100-sxm2-16g", "nvlink2", "edr");
  EXPECT_EQ(made.find("devices")->text, "8");
  EXPECT_EQ(made.find("fabric")->find("nics")->text, "4");
  const Cluster two = cluster_of_node(made, 2);
  EXPECT_DOUBLE_EQ(bandwidth(two, 0, 3), 50e9);
  EXPECT_DOUBLE_EQ(bandwidth(two, 0, 1), 25e9);
  EXPECT_EQ(test::kinds_of(two.topology, two.topology.route(4, 7)), "nvlink");
  EXPECT_EQ(test::count(two.topology, VertexKind::host), 2 * 2);
  EXPECT_EQ(test::count(two.topology, VertexKind::nic), 2 * 4);
  EXPECT_DOUBLE_EQ(bandwidth(two, 2, 10), 12.5e9);
  EXPECT_EQ(test::kinds_of(two.topology, two.topology.route(2, 10)),
            "pcie pcie infiniband infiniband pcie pcie");
}

// 7 x 12 links are more than the 12 of an A100: NVSwitches. NICs of storage have no GPU near.
TEST(TopoSystem, a_dgx_a100) {
  const config::Value made = node(dgx_a100_matrix(), "a100-sxm-80g", "nvlink3", "hdr");
  EXPECT_EQ(made.find("fabric")->find("nics")->text, "8");
  EXPECT_EQ(made.find("fabric")->find("link")->text, "hdr");
  const Cluster two = cluster_of_node(made, 2);
  EXPECT_DOUBLE_EQ(bandwidth(two, 0, 7), 300e9);
  EXPECT_EQ(test::kinds_of(two.topology, two.topology.route(0, 7)), "nvlink nvlink");
  EXPECT_EQ(test::count(two.topology, VertexKind::host), 2 * 4);
  EXPECT_DOUBLE_EQ(bandwidth(two, 5, 13), 25e9);
  EXPECT_EQ(test::kinds_of(two.topology, two.topology.route(5, 13)),
            "pcie pcie infiniband infiniband pcie pcie");
}

// What a GPU cannot have as links of its own goes over switches: 18 of 25 GB/s, 6 of 25, 18 of 50.
TEST(TopoSystem, nvlinks_beyond_those_of_a_gpu_go_to_switches) {
  const Cluster h100 = cluster_of_node(node(alike(8, "NV18"), "h100-sxm", "nvlink4"), 1);
  EXPECT_DOUBLE_EQ(bandwidth(h100, 0, 7), 450e9);
  const Cluster dgx_2 = cluster_of_node(node(alike(4, "NV6"), "v100-sxm3-32g-450w", "nvlink2"), 1);
  EXPECT_DOUBLE_EQ(bandwidth(dgx_2, 0, 3), 150e9);
  EXPECT_EQ(test::kinds_of(dgx_2.topology, dgx_2.topology.route(0, 3)), "nvlink nvlink");
  const Cluster b200 = cluster_of_node(node(alike(8, "NV18"), "b200-sxm", "nvlink5"), 1);
  EXPECT_DOUBLE_EQ(bandwidth(b200, 3, 4), 900e9);
}

// Three times 4 links are the 12 of an A100, three times 6 the 18 of a GH200.
TEST(TopoSystem, a_full_mesh_of_four) {
  const Cluster a100 = cluster_of_node(node(alike(4, "NV4"), "a100-sxm-40g", "nvlink3"), 1);
  EXPECT_DOUBLE_EQ(bandwidth(a100, 1, 3), 100e9);
  EXPECT_EQ(test::kinds_of(a100.topology, a100.topology.route(1, 3)), "nvlink");
  const Cluster gh200 = cluster_of_node(node(alike(4, "NV6"), "gh200-96g", "nvlink4"), 1);
  EXPECT_DOUBLE_EQ(bandwidth(gh200, 1, 3), 150e9);
  EXPECT_EQ(test::kinds_of(gh200.topology, gh200.topology.route(1, 3)), "nvlink");
}

// Two GPUs with the same affinity share a Grace.
TEST(TopoSystem, affinity_tells_the_numa_node_where_nvlink_hides_it) {
  const char* const gb200 =
      "      GPU0  GPU1  GPU2  GPU3  CPU Affinity  NUMA Affinity  GPU NUMA ID\n"
      "GPU0   X    NV18  NV18  NV18  0-71    0,3-9,11-17             2\n"
      "GPU1  NV18   X    NV18  NV18  0-71    0,3-9,11-17             10\n"
      "GPU2  NV18  NV18   X    NV18  72-143  1,19-25,27-33           18\n"
      "GPU3  NV18  NV18  NV18   X    72-143  1,19-25,27-33           26\n";
  const Cluster one = cluster_of_node(node(gb200, "gb200", "nvlink5"), 1);
  EXPECT_EQ(test::count(one.topology, VertexKind::host), 2);
  EXPECT_DOUBLE_EQ(bandwidth(one, 0, 3), 900e9);
}

// Each GPU is a NUMA node of its own, so all NICs are SYS away. Two cards, one a Grace.
TEST(TopoSystem, nics_beside_graces_are_spread_in_order) {
  const char* const gb200 =
      "      GPU0  GPU1  GPU2  GPU3 NIC0 NIC1 NIC2 NIC3 CPU Affinity  NUMA Affinity  GPU NUMA ID\n"
      "GPU0   X    NV18  NV18  NV18 SYS SYS SYS SYS 0-71    0,3-9,11-17             2\n"
      "GPU1  NV18   X    NV18  NV18 SYS SYS SYS SYS 0-71    0,3-9,11-17             10\n"
      "GPU2  NV18  NV18   X    NV18 SYS SYS SYS SYS 72-143  1,19-25,27-33           18\n"
      "GPU3  NV18  NV18  NV18   X   SYS SYS SYS SYS 72-143  1,19-25,27-33           26\n"
      "NIC0  SYS SYS SYS SYS  X   NODE SYS SYS\n"
      "NIC1  SYS SYS SYS SYS NODE  X   SYS SYS\n"
      "NIC2  SYS SYS SYS SYS SYS SYS  X   NODE\n"
      "NIC3  SYS SYS SYS SYS SYS SYS NODE  X\n";
  const Cluster two = cluster_of_node(node(gb200, "gb200", "nvlink5", "ndr"), 2);
  EXPECT_EQ(test::count(two.topology, VertexKind::host), 2 * 2);
  for (int gpu = 0; gpu < 4; ++gpu)
    EXPECT_EQ(test::kinds_of(two.topology, two.topology.route(gpu, gpu + 4)),
              "pcie pcie infiniband infiniband pcie pcie");
}

// A workstation: PIX is one switch, PXB a switch of switches, PHB the host.
TEST(TopoSystem, switches_of_a_machine_without_nvlink) {
  const char* const text =
      "     GPU0 GPU1 GPU2 GPU3 CPU Affinity\n"
      "GPU0  X   PIX  PXB  PHB  0-11\n"
      "GPU1 PIX   X   PXB  PHB  0-11\n"
      "GPU2 PXB  PXB   X   PHB  0-11\n"
      "GPU3 PHB  PHB  PHB   X   0-11\n";
  const Cluster one = cluster_of_node(node(text, "l40s", "nvlink4"), 1);
  EXPECT_EQ(test::count(one.topology, VertexKind::node_switch), 2);
  EXPECT_EQ(one.topology.route(0, 1).links.size(), 2U);
  EXPECT_EQ(one.topology.route(0, 2).links.size(), 3U);
  EXPECT_EQ(one.topology.route(0, 3).links.size(), 4U);
}

// As of eight RTX 4090 in NVIDIA/go-gpuallocator's issue 17: SYS even within a NUMA node.
TEST(TopoSystem, sys_between_gpus_of_one_numa_node_stays_in_it) {
  const Cluster one = cluster_of_node(node(alike(8, "SYS"), "l40s", "nvlink4"), 1);
  EXPECT_EQ(test::count(one.topology, VertexKind::host), 1);
}

// Four H200 on one plane of switches and four on another: between them is only PCIe.
TEST(TopoSystem, islands_of_nvlink_stay_apart) {
  std::string text, rows;
  for (int row = 0; row < 8; ++row) {
    text += fmt::format(" GPU{}", row);
    rows += fmt::format("GPU{}", row);
    for (int other = 0; other < 8; ++other)
      rows += row == other ? " X" : row / 4 == other / 4 ? " NV18" : " SYS";
    rows += fmt::format(" 0-9 {}\n", row / 4);
  }
  const config::Value made =
      node(text + " CPU Affinity NUMA Affinity\n" + rows, "h200-sxm", "nvlink4");
  const Cluster one = cluster_of_node(made, 1);
  EXPECT_DOUBLE_EQ(bandwidth(one, 4, 7), 450e9);
  EXPECT_EQ(test::kinds_of(one.topology, one.topology.route(0, 4)), "pcie other pcie");
}

// One GPU of eight has lost its NVLinks (vllm-project/vllm, issue 16336): it goes over PCIe.
TEST(TopoSystem, a_gpu_without_its_nvlinks_goes_over_pcie) {
  const char* const text =
      "      GPU0  GPU1  GPU2  GPU3  CPU Affinity  NUMA Affinity\n"
      "GPU0   X    NV18  NODE  NV18  0-55 0\n"
      "GPU1  NV18   X    NODE  NV18  0-55 0\n"
      "GPU2  NODE  NODE   X    NODE  0-55 0\n"
      "GPU3  NV18  NV18  NODE   X    0-55 0\n";
  const Cluster one = cluster_of_node(node(text, "b200-sxm", "nvlink5"), 1);
  EXPECT_EQ(test::kinds_of(one.topology, one.topology.route(0, 3)), "nvlink nvlink");
  EXPECT_EQ(test::kinds_of(one.topology, one.topology.route(0, 2)), "pcie pcie");
}

TEST(TopoSystem, nics_near_no_gpu_are_all_taken) {
  const interop::TopoMatrix matrix = interop::read_topo_matrix(
      "GPU0 NIC0 NIC1 CPU Affinity\nGPU0 X NODE SYS 0-7\nNIC0 NODE X SYS\nNIC1 SYS SYS X\n", "t");
  EXPECT_EQ(near_nics(matrix), (std::vector<bool>{false, true, true}));
}

}  // namespace
}  // namespace pipewright
