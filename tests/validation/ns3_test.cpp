// Bursts of datagrams here and in ns-3: point-to-point links with drop-tail queues of so many
// bytes, store and forward. Compared is what does not depend on a transport: how many packets of
// each flow are dropped, and when the last is delivered or dropped. ns-3 rounds the length of every
// packet to a picosecond, we carry the rest over: a picosecond for each packet of the scenario is
// the tolerance. Where an arrival and a departure lie closer than that, a packet may find room in
// one and none in the other: one more or less dropped, in at most one burst of a hundred.
#include <gtest/gtest.h>
#include <ns3/drop-tail-queue.h>
#include <ns3/point-to-point-helper.h>
#include <ns3/point-to-point-net-device.h>
#include <ns3/simulator.h>

#include <map>
#include <random>

#include "network/packet/packet_network.hpp"

namespace pipewright::test {
namespace {

constexpr uint32_t frame = 1000, ppp_header = 2;

struct Port {
  uint64_t bits_per_s;
  int64_t latency_ps;
  uint32_t queue_bytes;
};

struct Burst {
  std::vector<uint32_t> route;  ///< the first port is its own
  uint32_t packets;
  int64_t start_ps;
};

struct Scenario {
  std::vector<Port> ports;
  std::vector<Burst> bursts;

  int64_t packets() const {
    int64_t sum = 0;
    for (const Burst& burst : bursts) sum += burst.packets;
    return sum;
  }
};

struct Outcome {
  uint64_t dropped = 0;
  int64_t end_ps = 0;
};

constexpr uint32_t room = 20 * frame;

/// Up to 12 sources over one of 2 trunks each, and then into one of 3 sinks. Rates without a common
/// measure and starts to the picosecond, so that hardly ever two things happen at one time, of
/// which nobody could say which is first.
Scenario random_scenario(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](uint64_t n) { return random() % n; };
  Scenario scenario;
  const auto sources = static_cast<uint32_t>(1 + below(12));
  const auto add_port = [&](uint64_t gigabits, uint32_t queue) {
    scenario.ports.push_back({gigabits * 1'000'000'000 + below(1'000'000'000),
                              static_cast<int64_t>(below(10'000'000)), queue});
  };
  for (uint32_t source = 0; source < sources; ++source) add_port(5 + below(40), 1u << 30);
  for (int shared = 0; shared < 5; ++shared) add_port(5 + below(40), room);
  for (uint32_t source = 0; source < sources; ++source) {
    const auto trunk = static_cast<uint32_t>(sources + below(2));
    const auto sink = static_cast<uint32_t>(sources + 2 + below(3));
    scenario.bursts.push_back({{source, trunk, sink},
                               static_cast<uint32_t>(1 + below(300)),
                               static_cast<int64_t>(below(50'000'000))});
  }
  return scenario;
}

/// Ports to and from each of `hosts` around a switch: the first `hosts` go to it. Rates and
/// latencies as in random_scenario().
Scenario star(uint32_t hosts, std::mt19937_64& random) {
  Scenario scenario;
  for (uint32_t port = 0; port < 2 * hosts; ++port)
    scenario.ports.push_back({20'000'000'000 + random() % 10'000'000'000,
                              static_cast<int64_t>(random() % 5'000'000),
                              port < hosts ? 1u << 30 : room});
  return scenario;
}

/// All hosts but one send to that one at nearly the same time.
Scenario incast(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto hosts = static_cast<uint32_t>(4 + random() % 13);
  Scenario scenario = star(hosts, random);
  for (uint32_t host = 1; host < hosts; ++host)
    scenario.bursts.push_back({{host, hosts},
                               static_cast<uint32_t>(10 + random() % 100),
                               static_cast<int64_t>(random() % 1'000'000)});
  return scenario;
}

/// Each host sends to each other, one after the other, as an all-to-all does that is not staggered.
Scenario all_to_all(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto hosts = static_cast<uint32_t>(3 + random() % 6);
  Scenario scenario = star(hosts, random);
  for (uint32_t from = 0; from < hosts; ++from)
    for (uint32_t to = 0; to < hosts; ++to)
      if (from != to)
        scenario.bursts.push_back({{from, hosts + to},
                                   static_cast<uint32_t>(10 + random() % 40),
                                   static_cast<int64_t>(to * 30'000'000 + random() % 1'000'000)});
  return scenario;
}

std::vector<Outcome> here(const Scenario& scenario) {
  std::vector<Bandwidth> ports;
  for (const Port& port : scenario.ports)
    ports.push_back({static_cast<double>(port.bits_per_s) / 8});
  std::vector<PacketRoute> routes;
  for (const Burst& burst : scenario.bursts) {
    PacketRoute& route = routes.emplace_back();
    for (const uint32_t port : burst.route)
      route.push_back({port, picoseconds(scenario.ports[port].latency_ps)});
  }
  std::vector<PacketFlow> flows;
  for (size_t k = 0; k < routes.size(); ++k)
    flows.push_back({.routes = {&routes[k]},
                     .bytes = Bytes{frame} * scenario.bursts[k].packets,
                     .start = picoseconds(scenario.bursts[k].start_ps)});
  const PacketOptions blind{.mtu = {frame},
                            .queue = {room},
                            .transport = Transport::bounded_loss,
                            .loss = 1,
                            .window = 1'000'000};
  std::vector<Outcome> outcomes;
  for (const PacketFlowResult& flow : run_packets(flows, ports, blind).flows)
    outcomes.push_back({flow.dropped, flow.end.ps});
  return outcomes;
}

/// Every port is a pair of nodes of its own; what arrives at its far end is handed to the next.
class Peer {
 public:
  explicit Peer(const Scenario& scenario) : scenario_(scenario), outcomes_(scenario.bursts.size()) {
    for (uint32_t port = 0; port < scenario.ports.size(); ++port) add_port(port);
    for (size_t burst = 0; burst < scenario.bursts.size(); ++burst)
      ns3::Simulator::Schedule(ns3::PicoSeconds(scenario.bursts[burst].start_ps), &Peer::send, this,
                               burst);
  }

  std::vector<Outcome> run() {
    ns3::Simulator::Run();
    ns3::Simulator::Destroy();
    return outcomes_;
  }

 private:
  void add_port(uint32_t number) {
    const Port& port = scenario_.ports[number];
    ns3::NodeContainer ends;
    ends.Create(2);
    ns3::PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", ns3::DataRateValue(ns3::DataRate(port.bits_per_s)));
    link.SetChannelAttribute("Delay", ns3::TimeValue(ns3::PicoSeconds(port.latency_ps)));
    link.SetQueue("ns3::DropTailQueue<Packet>", "MaxSize",
                  ns3::QueueSizeValue(ns3::QueueSize(ns3::QueueSizeUnit::BYTES, port.queue_bytes)));
    const ns3::NetDeviceContainer devices = link.Install(ends);
    const auto sender = ns3::DynamicCast<ns3::PointToPointNetDevice>(devices.Get(0));
    sender->SetMtu(frame - ppp_header);
    sender->GetQueue()->TraceConnectWithoutContext("Drop", ns3::MakeCallback(&Peer::drop, this));
    senders_.push_back(sender);
    port_of_[devices.Get(1)] = number;
    devices.Get(1)->SetReceiveCallback(ns3::MakeCallback(&Peer::arrive, this));
  }

  void send(size_t burst) {
    for (uint32_t k = 0; k < scenario_.bursts[burst].packets; ++k) {
      const auto packet = ns3::Create<ns3::Packet>(frame - ppp_header);
      burst_of_[packet->GetUid()] = burst;
      hand_over(packet, scenario_.bursts[burst].route.front());
    }
  }

  void hand_over(const ns3::Ptr<ns3::Packet>& packet, uint32_t port) {
    senders_[port]->Send(packet, senders_[port]->GetBroadcast(), 0x0800);
  }

  bool arrive(ns3::Ptr<ns3::NetDevice> device, ns3::Ptr<const ns3::Packet> packet, uint16_t,
              const ns3::Address&) {
    const size_t burst = burst_of_.at(packet->GetUid());
    const std::vector<uint32_t>& route = scenario_.bursts[burst].route;
    const auto next = std::find(route.begin(), route.end(), port_of_.at(device)) + 1;
    if (next == route.end())
      outcomes_[burst].end_ps = ns3::Simulator::Now().GetPicoSeconds();
    else
      hand_over(packet->Copy(), *next);
    return true;
  }

  void drop(ns3::Ptr<const ns3::Packet> packet) {
    Outcome& outcome = outcomes_[burst_of_.at(packet->GetUid())];
    ++outcome.dropped;
    outcome.end_ps = ns3::Simulator::Now().GetPicoSeconds();
  }

  const Scenario& scenario_;
  std::vector<Outcome> outcomes_;
  std::vector<ns3::Ptr<ns3::PointToPointNetDevice>> senders_;
  std::map<ns3::Ptr<ns3::NetDevice>, uint32_t> port_of_;
  std::map<uint64_t, size_t> burst_of_;
};

/// Compares 40 scenarios of a kind.
void compare(Scenario (*scenario_of)(uint64_t seed)) {
  // ns-3 takes it once in a process.
  static const bool counts_picoseconds = (ns3::Time::SetResolution(ns3::Time::PS), true);
  ASSERT_TRUE(counts_picoseconds);
  uint64_t dropped = 0, unlike = 0, bursts = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const Scenario scenario = scenario_of(seed);
    const std::vector<Outcome> ours = here(scenario), theirs = Peer(scenario).run();
    const auto tolerance = static_cast<double>(scenario.packets());
    for (size_t burst = 0; burst < ours.size(); ++burst) {
      const uint64_t more = std::max(ours[burst].dropped, theirs[burst].dropped);
      const uint64_t less = std::min(ours[burst].dropped, theirs[burst].dropped);
      EXPECT_LE(more - less, 1u) << "seed " << seed << ", " << burst;
      unlike += more - less;
      ++bursts;
      EXPECT_NEAR(static_cast<double>(ours[burst].end_ps),
                  static_cast<double>(theirs[burst].end_ps), tolerance)
          << "seed " << seed << ", " << burst;
      dropped += theirs[burst].dropped;
    }
  }
  EXPECT_LE(unlike, bursts / 100);
  EXPECT_GT(dropped, 1000u);  // else nothing was compared
}

TEST(Ns3, drops_as_many_packets_and_delivers_the_rest_at_the_same_times) {
  compare(random_scenario);
}

TEST(Ns3, sees_the_same_incasts) { compare(incast); }

TEST(Ns3, sees_the_same_exchanges_of_all_with_all) { compare(all_to_all); }

}  // namespace
}  // namespace pipewright::test
