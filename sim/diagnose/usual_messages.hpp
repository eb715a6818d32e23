// How long messages of a link would take if it were as fast as the other links.
//
// The ideal gives every message the median of its kind, so it takes the links that are slow for
// usual where they are half of all or more. Each link is compared with the others here: of the
// medians of the other links the median. With two links each is compared with the other. Of a
// single link the two directions are compared.
#pragma once

#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "diagnose/what_if.hpp"
#include "interop/operation_table.hpp"

namespace pipewright::diagnose {

struct Evidence;

/// The neighbouring ranks of a pipeline between which a transfer goes, that of the earlier stage of
/// the model first. Without a placement chunks go around.
std::pair<int, int> ends_of(const MeasuredJob& job, const TracedOperation& transfer);

class UsualMessages {
 public:
  explicit UsualMessages(const Evidence& evidence);

  /// The length of a transfer in the ideal, or that on the other links where they are faster.
  Time of(const TracedOperation& transfer, OpId body) const;
  /// How many times as long as this its messages take, by all on the link.
  double slowdown(std::pair<int, int> ends, int data) const;

 private:
  using Link = std::tuple<int, int, int>;  // the ends and the data rank
  using Medians = std::map<OperationKind, double>;

  void compare_links();
  void compare_directions();

  const Evidence& evidence_;
  std::map<Link, Medians> links_, usual_;  ///< in seconds
};

}  // namespace pipewright::diagnose
