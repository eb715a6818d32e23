// A publication and its claims as data, as workloads/papers/NAME.yaml and the help of `reproduce`
// give them.
#pragma once

#include <array>
#include <string_view>

#include "config/value.hpp"
#include "result/reproduction.hpp"
#include "study/study_file.hpp"

namespace pipewright {

/// The settings that a case or an alternative changes, and what it is called.
struct Alternative {
  std::string name;
  std::vector<Setting> settings;
  std::optional<double> printed;  ///< of a case: the source's own figure, in place of a baseline
};

/// One resharding under two strategies; `changes` are its cases.
struct ReshardClaim {
  config::Value cluster;
  std::vector<std::string> changes;  ///< "RS0R@(2,4) -> S01R@(3,4)"
  Bytes bytes;
  std::string system, baseline;  ///< strategies
};

/// The checks that only real numbers can show, which a live run works out: see
/// calibrate/live/claims.hpp.
inline constexpr std::array<std::string_view, 3> live_checks = {"adjoint", "spatial-split",
                                                                "pipelined-backprop"};

struct Claim {
  ClaimResult stated;  ///< all that the file says of it; no figure of ours yet
  config::Value experiment;
  std::vector<Alternative> system, baseline, cases;
  std::vector<Setting> vary;  ///< one assumption each
  std::optional<ReshardClaim> reshard;
  std::string live;  ///< one of live_checks, in place of an experiment
  /// The planner whose frontier should hold what others propose for the experiment.
  std::string frontier_of;
};

struct Paper {
  std::string name, description, source, feature;
  std::vector<Claim> claims;
};

/// Throws InputError.
Paper read_paper(const std::string& name, const config::Value& value,
                 const config::Catalogue& catalogue);

}  // namespace pipewright
