// Every file of the catalogue that describes hardware can be used.
#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/cluster/node.hpp"

namespace pipewright {
namespace {

using config::Catalogue;
using config::Listing;
using config::Value;

std::vector<Listing> entries(std::string_view kind) {
  const std::vector<Listing> all = Catalogue().list(kind);
  EXPECT_GE(all.size(), 4u) << kind;
  return all;
}

TEST(Catalogue, every_entry_says_what_it_is_and_where_it_is_from) {
  for (const char* kind : {"devices", "links", "nodes", "clusters"}) {
    for (const Listing& entry : entries(kind)) {
      const Value value = Catalogue().load(kind, config::scalar(entry.name));
      EXPECT_NE(entry.description, "") << kind << " " << entry.name;
      for (const char* key : {"source", "verified"})
        EXPECT_TRUE(value.find(key)) << kind << " " << entry.name << " lacks " << key;
    }
  }
}

TEST(Catalogue, every_device_and_link_can_be_read) {
  for (const Listing& entry : entries("devices")) {
    const Device device = read_device(config::scalar(entry.name), Catalogue());
    EXPECT_TRUE(device.peak_at(DType::fp32)) << entry.name;
    EXPECT_GE(device.memory, GiB) << entry.name;
    EXPECT_LE(device.memory, 1024 * GiB) << entry.name;
  }
  for (const Listing& entry : entries("links")) {
    const LinkType link = read_link(config::scalar(entry.name), Catalogue());
    EXPECT_GT(link.latency, Time{}) << entry.name;
    EXPECT_GE(link.bandwidth.bytes_per_s, 125e6) << entry.name;
  }
}

/// Routes between a sample of the devices: each is a chain of links, and both ways take as long.
void check_routes(const Cluster& cluster, const std::string& name) {
  const Topology& topology = cluster.topology;
  const int n = cluster.devices();
  for (int a = 0; a < n; a += 1 + n / 12) {
    for (int b = 0; b < n; b += 1 + n / 12) {
      if (a == b) continue;
      const Route there = topology.route(a, b), back = topology.route(b, a);
      EXPECT_EQ(there.latency, back.latency) << name << " " << a << " " << b;
      EXPECT_EQ(there.bottleneck, back.bottleneck) << name << " " << a << " " << b;
      VertexId at = topology.vertex(a);
      for (const LinkId link : there.links) {
        EXPECT_EQ(topology.links()[link].from, at) << name;
        at = topology.links()[link].to;
      }
      EXPECT_EQ(at, topology.vertex(b)) << name;
    }
  }
}

TEST(Catalogue, every_node_reaches_its_own_devices_and_those_of_another) {
  for (const Listing& entry : entries("nodes")) {
    Value cluster;
    cluster.set("node", config::scalar(entry.name));
    cluster.set("nodes", config::number(3));
    check_routes(read_cluster(cluster, Catalogue()), entry.name);
  }
}

TEST(Catalogue, every_cluster_reaches_all_its_devices) {
  for (const Listing& entry : entries("clusters"))
    check_routes(read_cluster(config::scalar(entry.name), Catalogue()), entry.name);
}

TEST(Catalogue, has_what_the_manual_promises) {
  const auto has = [](const char* kind, std::initializer_list<const char*> names) {
    for (const char* name : names)
      EXPECT_NO_THROW(Catalogue().load(kind, config::scalar(name))) << kind << " " << name;
  };
  has("nodes", {"dgx-1-p100",   "dgx-1-v100-16g", "dgx-1-v100-32g", "dgx-2",         "dgx-2h",
                "p3.2xlarge",   "p3.8xlarge",     "p3.16xlarge",    "p2.8xlarge",    "dgx-a100-40g",
                "dgx-a100-80g", "p4d.24xlarge",   "dgx-h100",       "h100-96g-500w", "h800",
                "dgx-h200",     "dgx-b200",       "dgx-b300",       "gb200-nvl72",   "gb300-nvl72",
                "mi250x",       "mi300x",         "vcu118",         "vcu129"});
  has("links",
      {"edr",     "hdr",      "ndr",      "xdr",      "opa-100",  "eth-1",   "eth-10",  "eth-25",
       "eth-100", "roce-100", "roce-200", "roce-400", "roce-800", "nvlink1", "nvlink2", "nvlink3",
       "nvlink4", "nvlink5",  "pcie3",    "pcie4",    "pcie5",    "pcie6"});
}

}  // namespace
}  // namespace pipewright
