// Ranges by the residuals of published runs, after conformal prediction: what four in five runs of
// this run's like were off by, the next one is expected to be off by too.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "result/anchor.hpp"
#include "result/regime.hpp"
#include "result/validation.hpp"

namespace pipewright {

/// What a published run took, over what was predicted of it.
struct Residual {
  std::string_view group;
  Regime regime;
  double slower = 1;
};

/// A row of the table that the build makes of workloads/validation/residuals.csv.
struct ResidualRow {
  const char *group, *framework, *device, *precision;
  int nodes;
  double datasheet, exposed, host, bubble, busy, slower;

  Regime regime() const {
    return {framework, device, precision, nodes, datasheet, exposed, host, bubble, busy};
  }
};
std::span<const ResidualRow> published_residuals();

struct KnownRange {
  Range range;
  std::string basis;  ///< in words
};

/// Returns the range of the time of a run, as multiples of the prediction: the weighed 10th and
/// 90th percentile of the residuals. A residual weighs by the likeness of its run to this one
/// (shares of data sheets, of waiting for the network and the host, nodes, framework, device); all
/// runs of a group count as one, all groups of a source as the root of their number. Those of
/// the group or of the source that `left_out` names do not count. Where other jobs share the
/// network, the upper end is at least where it is once one job of ten waits as long for it. Where
/// no run that counts is of this framework on this device, the range is at least that of the
/// factors of a machine that nobody has measured (prior_anchor()). It is wider where nodes are
/// beyond those over which the network was measured (deviation_beyond()). Both ends reach further
/// by range_widening, where that is more than nothing.
KnownRange range_of(const Regime& regime, std::string_view left_out = {});

/// The same for a prediction that `anchor` has moved, which serves it. Its residuals are what is
/// left of those of published runs where as many others of their machine are taken for an anchor;
/// those weigh most whose others ran on as many times fewer or more nodes.
KnownRange anchored_range_of(const Regime& regime, const Anchor& anchor,
                             std::string_view group = {});

/// Returns by how much times between nodes deviate from the predicted ones in the logarithm, where
/// that share of the nodes is beyond those that were measured. A network that nobody measured
/// deviates by that of prior_anchor(), and what was measured by nothing more.
double deviation_beyond(double share);

/// Returns by how much residuals deviate inside one published table, in the logarithm: what
/// candidates for one job do not share.
double own_deviation();

/// The same for candidates of this regime: times that the experiment gives are shared.
double own_deviation(const Regime& regime);

}  // namespace pipewright
