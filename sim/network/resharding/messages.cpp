#include "network/resharding/messages.hpp"

#include "network/collectives/pieces.hpp"
#include "network/resharding/takers.hpp"

namespace pipewright::resharding {
namespace {

/// Sends a piece down a chain of its takers, part by part.
void add_chain(int sender, const std::vector<int>& takers, double share, int64_t parts,
               std::vector<Message>& messages) {
  for (int64_t part = 0; part < parts; ++part) {
    int before = sender;
    std::vector<size_t> after;
    for (const int taker : takers) {
      messages.push_back({before, taker, share / static_cast<double>(parts), after});
      after = {messages.size() - 1};
      before = taker;
    }
  }
}

/// Goes round the ring, whose k-th device holds part k and was brought it by `brought[k]`.
void add_ring(std::span<const int> ring, double share, std::vector<std::vector<size_t>> brought,
              std::vector<Message>& messages) {
  for (size_t step = 1; step < ring.size(); ++step) {
    std::vector<std::vector<size_t>> next(ring.size());
    for (size_t k = 0; k < ring.size(); ++k) {
      const size_t to = (k + 1) % ring.size();
      messages.push_back({ring[k], ring[to], share, brought[k]});
      next[to] = {messages.size() - 1};
    }
    brought = std::move(next);
  }
}

/// Sends each of `group` an equal part of a piece, which they gather.
void add_parts(int sender, const std::vector<int>& group, double share,
               std::vector<Message>& messages) {
  const double part = share / static_cast<double>(group.size());
  std::vector<std::vector<size_t>> brought;
  for (const int taker : group) {
    brought.push_back({messages.size()});
    messages.push_back({sender, taker, part, {}});
  }
  add_ring(group, part, std::move(brought), messages);
}

}  // namespace

std::vector<Message> messages_of(const Topology& topology, const Meshes& meshes,
                                 std::span<const Piece> pieces, Bytes bytes, Strategy strategy,
                                 std::span<const int> senders) {
  std::vector<Message> messages;
  for (size_t k = 0; k < pieces.size(); ++k) {
    const double share = pieces[k].share;
    const std::vector<int> takers = takers_by_host(topology, meshes, pieces[k], senders[k]);
    if (strategy == Strategy::send_recv) {
      for (const int taker : takers) messages.push_back({senders[k], taker, share, {}});
    } else if (strategy == Strategy::broadcast) {
      const auto size = static_cast<int64_t>(share * static_cast<double>(bytes.count));
      add_chain(senders[k], takers, share, collective::pieces_of({size}), messages);
    } else {
      for (const std::vector<int>& group : gathering_groups(topology, takers, strategy))
        add_parts(senders[k], group, share, messages);
    }
  }
  return messages;
}

void add_gathering(std::span<const int> ring, double share, std::vector<Message>& messages) {
  std::vector<std::vector<size_t>> brought;
  for (const int device : ring) {
    std::vector<size_t>& here = brought.emplace_back();
    for (size_t k = 0; k < messages.size(); ++k)
      if (messages[k].to == device) here.push_back(k);
  }
  add_ring(ring, share, std::move(brought), messages);
}

}  // namespace pipewright::resharding
