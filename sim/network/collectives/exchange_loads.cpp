#include "network/collectives/exchange_loads.hpp"

#include "network/collectives/wired_alike.hpp"

namespace pipewright::collective {
namespace {

/// Bytes by size, for each of so many numbers.
class Table {
 public:
  Table(size_t numbers, size_t sizes) : sizes_(sizes), all_(numbers * sizes) {}
  std::span<double> operator[](size_t number) { return {&all_[number * sizes_], sizes_}; }
  std::span<const double> operator[](size_t number) const {
    return {&all_[number * sizes_], sizes_};
  }
  void add(size_t number, std::span<const double> bytes, double times = 1) {
    for (size_t size = 0; size < sizes_; ++size)
      all_[number * sizes_ + size] += times * bytes[size];
  }

 private:
  size_t sizes_;
  std::vector<double> all_;
};

/// Nodes that are wired alike.
struct Kind {
  std::vector<size_t> nodes;
  size_t members = 0, links = 0;  ///< of each node
  Table received;                 ///< by member: what those of all nodes get from one member
  Table sent;  ///< by link: what each node sends over it, itself as a receiver too
  /// By member and link: how often the link carries what the member of the node gets.
  std::vector<double> times;
};

class Exchanges {
 public:
  Exchanges(const Topology& topology, const Members& members, std::span<const Exchange> exchanges,
            LinkLoads& loads)
      : topology_(topology),
        members_(members),
        links_(topology, members),
        along_rails_(exchanges.front().along_rails),
        bytes_(members.devices.size(), exchanges.size()),
        loads_(loads) {
    for (size_t size = 0; size < exchanges.size(); ++size)
      for (size_t rank = 0; rank < members.devices.size(); ++rank)
        bytes_[rank][size] = static_cast<double>(exchanges[size].to[rank].count);
    for (std::vector<size_t>& nodes : nodes_wired_alike(topology, members, links_))
      kinds_.push_back(kind_of(std::move(nodes)));
  }

  void add() {
    for (Kind& from : kinds_)
      for (Kind& to : kinds_)
        if (&from != &to || from.nodes.size() > 1) add_between(from, to);
    for (const Kind& kind : kinds_) {
      if (!along_rails_) add_inside(kind);
      for (const size_t node : kind.nodes) add_links_of(kind, node);
    }
  }

 private:
  size_t rank(size_t node, size_t member) const {
    return static_cast<size_t>(members_.nodes[node]) + member;
  }
  Route route(size_t from_node, size_t from, size_t to_node, size_t to) const {
    return topology_.route(members_.devices[rank(from_node, from)],
                           members_.devices[rank(to_node, to)]);
  }

  Kind kind_of(std::vector<size_t> nodes) const {
    const size_t first = nodes.front(), links = links_.of(first).size();
    const auto count = static_cast<size_t>(members_.nodes[first + 1] - members_.nodes[first]);
    Kind kind{.members = count,
              .links = links,
              .received = Table(count, loads_.sizes()),
              .sent = Table(links, loads_.sizes()),
              .times = std::vector<double>(count * links)};
    for (const size_t node : nodes)
      for (size_t member = 0; member < count; ++member)
        kind.received.add(member, bytes_[rank(node, member)]);
    kind.nodes = std::move(nodes);
    return kind;
  }

  void add_between(Kind& from, Kind& to) {
    const size_t a = from.nodes.front(), b = to.nodes[&from == &to ? 1 : 0];
    for (size_t i = 0; i < from.members; ++i) {
      for (size_t j = 0; j < to.members; ++j) {
        if (along_rails_ && i != j) continue;
        for (const LinkId link : route(a, i, b, j).links) add_link(from, to, a, b, j, link);
      }
    }
  }

  /// Adds a link of the routes from nodes like `a` to nodes like `b`, to member `j` there.
  void add_link(Kind& from, Kind& to, size_t a, size_t b, size_t j, LinkId link) {
    const bool same = &from == &to;
    const double senders = static_cast<double>(from.nodes.size()) - (same ? 1 : 0);
    if (links_.touches(a, link)) {
      const size_t place = links_.place(a, link);
      from.sent.add(place, to.received[j]);
      if (same) from.times[j * from.links + place] -= 1;
    } else if (links_.touches(b, link)) {
      to.times[j * to.links + links_.place(b, link)] += senders;
    } else {
      loads_.add(link, to.received[j], senders);
    }
  }

  void add_inside(const Kind& kind) {
    const size_t first = kind.nodes.front();
    for (size_t i = 0; i < kind.members; ++i) {
      for (size_t j = 0; j < kind.members; ++j) {
        for (const LinkId link : route(first, i, first, j).links) {
          const size_t place = links_.place(first, link);
          for (const size_t node : kind.nodes)
            loads_.add(links_.of(node)[place], bytes_[rank(node, j)]);
        }
      }
    }
  }

  void add_links_of(const Kind& kind, size_t node) {
    for (size_t place = 0; place < kind.links; ++place) {
      const LinkId link = links_.of(node)[place];
      loads_.add(link, kind.sent[place]);
      for (size_t j = 0; j < kind.members; ++j) {
        const double times = kind.times[j * kind.links + place];
        if (times != 0) loads_.add(link, bytes_[rank(node, j)], times);
      }
    }
  }

  const Topology& topology_;
  const Members& members_;
  NodeLinks links_;
  bool along_rails_;
  Table bytes_;  // that each rank gets from another
  std::vector<Kind> kinds_;
  LinkLoads& loads_;
};

}  // namespace

void add_exchanges(const Topology& topology, const Members& members,
                   std::span<const Exchange> exchanges, LinkLoads& loads) {
  Exchanges(topology, members, exchanges, loads).add();
}

}  // namespace pipewright::collective
