// What was measured on a network, as factors on what is predicted of it without.
//
//   time(g, m, S) = predicted(g, m, S) x r(m, S k / g),   r = measured / predicted of k ranks a
//   node
//
//   g ranks on each of m nodes, S bytes; k ranks a node were measured. A group with fewer ranks a
//   node has its share of the NICs, hence the size by which it is looked up.
//
// Between two sizes the measured time grows by the byte, as of a start and a bandwidth. It depends
// on no prediction and rises where the points do. Along the logarithms of size and time, sizes of
// which three between neighbours were left out are 5 to 9 % off in the median on Alps, a3-mega and
// DGX Cloud, and by the byte 2 to 7 %. r is interpolated along the logarithm of nodes. At a
// measured point the time is the measured one. Beyond the nodes that were measured r grows as the
// slowest of more draws does (network/slowest.hpp), with the deviation by which it grew between the
// last two numbers of nodes, the median over sizes from 1 MiB on. What repetitions do not show is
// no draw: where a size was measured three times, the deviation is no more than theirs. Where other
// jobs share the network it grows as a power of the nodes instead, as their traffic does
// (network/other_jobs.hpp), from one node on: what one node is slower by is no matter of the
// network. Beyond its sizes it stays as it is at the ends. An operation that was not measured has
// the factor of one that was, between nodes: all of a network's are slow together.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "network/nccl/network_profile.hpp"

namespace pipewright {

class MeasuredNetwork {
 public:
  /// Returns the seconds that are predicted of an operation over so many ranks on each of so many
  /// nodes; nothing for what the cluster has not.
  using Predict = std::function<std::optional<double>(std::string_view operation,
                                                      int ranks_per_node, int nodes, double bytes)>;

  /// `shared`: with other jobs. `least`: the seconds that the links need at the least.
  MeasuredNetwork(const NetworkProfile& profile, const Predict& predicted, bool shared = false,
                  const Predict& least = {});

  /// By how much the predicted time of a group is to be multiplied. `predicted` is that of the
  /// constructor.
  double factor(std::string_view operation, int ranks_per_node, int nodes, double bytes,
                const Predict& predicted) const;
  /// Tells whether nothing that was measured is of groups that the cluster has.
  bool is_empty() const { return operations_.empty(); }
  /// The most nodes of that operation's measurements, or of any where it has none.
  int most_nodes(std::string_view operation) const;
  /// The operation whose factors the named one has between nodes; empty for none.
  std::string_view stand_in(std::string_view operation) const;
  /// Tells whether something was measured that is quicker than the links allow.
  bool outruns_links() const { return outruns_links_; }
  /// The most ranks a node that anything was measured with.
  int most_ranks_per_node() const { return most_ranks_per_node_; }
  /// Between nodes, as NCCL names it; empty where nobody says.
  const std::string& transport() const { return transport_; }

 private:
  struct Operation {
    std::map<int, MeasuredCurve> curves;  ///< by nodes, as far as something is predicted of them
    double spread = 0;                    ///< beyond the last
    double load = 0;  ///< the power of nodes beyond the last, where jobs share the network
  };

  using Operations = std::map<std::string, Operation, std::less<>>;

  Operations::const_iterator between_nodes(std::string_view name) const;
  const Operation* operation(std::string_view name, int nodes) const;
  void find_growth(Operation& operation, const Predict& predicted) const;

  Operations operations_;
  bool shared_ = false, outruns_links_ = false;
  int most_ranks_per_node_ = 1;
  std::string transport_;
};

}  // namespace pipewright
