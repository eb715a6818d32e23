// The messages for each piece of S bytes that n devices want, b of them on one host:
//   send_recv           S from the sender to each
//   local_all_gather    S / b to each, then (b - 1) / b S from each to the next of its host, in a
//                       ring
//   global_all_gather   S / n to each, then (n - 1) / n S from each to the next, in a ring
//   broadcast           S from the sender to the first, from each to the next
// Rings and chains go host by host, the sender's own first, so that few of their edges cross hosts,
// and enter a host by the NIC on the sender's rail, where a taker has it.
#include "network/resharding/footprint.hpp"

#include <algorithm>
#include <limits>

#include "network/resharding/takers.hpp"

namespace pipewright::resharding {
namespace {

class FootprintBuilder {
 public:
  FootprintBuilder(const Topology& topology, const Meshes& meshes)
      : topology_(topology), meshes_(meshes) {}

  void add(const Piece& piece, int sender, Strategy strategy) {
    const std::vector<int> takers = takers_by_host(topology_, meshes_, piece, sender);
    switch (strategy) {
      case Strategy::send_recv:
        return scatter(sender, takers, piece.share);
      case Strategy::local_all_gather:
      case Strategy::global_all_gather:
        for (const std::vector<int>& group : gathering_groups(topology_, takers, strategy))
          gather(sender, group, piece.share);
        return;
      case Strategy::broadcast:
        for (int before = sender; const int taker : takers) {
          send(before, taker, piece.share);
          before = taker;
        }
    }
  }

  LinkFootprint footprint() && {
    LinkFootprint footprint{1, std::numeric_limits<double>::infinity(),
                            merged(topology_, std::move(shares_))};
    for (const LinkShare& share : footprint.shares) {
      const double alone = topology_.links()[share.link].bandwidth.bytes_per_s / share.share;
      footprint.bandwidth = std::min(footprint.bandwidth, alone);
    }
    return footprint;
  }

 private:
  void send(int from, int to, double share) {
    for (const LinkId link : topology_.route(from, to).links) shares_.push_back({link, share});
  }

  void scatter(int sender, const std::vector<int>& takers, double each) {
    for (const int taker : takers) send(sender, taker, each);
  }

  void gather(int sender, const std::vector<int>& takers, double share) {
    const auto n = static_cast<double>(takers.size());
    scatter(sender, takers, share / n);
    if (takers.size() < 2) return;
    for (size_t k = 0; k < takers.size(); ++k)
      send(takers[k], takers[(k + 1) % takers.size()], share * (n - 1) / n);
  }

  const Topology& topology_;
  const Meshes& meshes_;
  std::vector<LinkShare> shares_;
};

}  // namespace

LinkFootprint footprint_of(const Topology& topology, const Meshes& meshes,
                           std::span<const Piece> pieces, Strategy strategy,
                           std::span<const int> senders) {
  FootprintBuilder builder(topology, meshes);
  for (size_t k = 0; k < pieces.size(); ++k) builder.add(pieces[k], senders[k], strategy);
  return std::move(builder).footprint();
}

}  // namespace pipewright::resharding
