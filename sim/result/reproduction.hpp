// Published claims, each held against what comes out here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pipewright {

enum class Verdict : uint8_t { reproduced, contradicted, not_testable };
std::string_view to_string(Verdict verdict);

/// The sense of a published ratio.
enum class Sense : uint8_t {
  about,     ///< the ratio itself
  up_to,     ///< the largest of several cases
  at_least,  ///< or more
};
std::string_view to_string(Sense sense);

/// What our figure of a claim rests on.
enum class ClaimBasis : uint8_t {
  derived,    ///< an identity, a closed form, or times that were put in: the order alone
  simulated,  ///< a model on a cluster, priced and run by events
  live,       ///< real numbers, computed for the purpose
};
std::string_view to_string(ClaimBasis basis);

/// One case of a claim: the system and what it is set against, each the best of its alternatives.
struct ClaimCase {
  std::string name;              ///< what the case changes; empty where a claim has only one
  std::string system, baseline;  ///< the alternative that was best
  std::optional<double> system_value, baseline_value;
  std::optional<double> ratio;  ///< above one: the system is better
  std::string reason;           ///< why there is no ratio
};

/// The claim again with one assumption changed.
struct ClaimVariation {
  std::string assumption;
  std::optional<double> ratio;
};

struct ClaimResult {
  std::string name, claim, source, quantity;
  double says = 0;       ///< times as good as the baseline
  double tolerance = 0;  ///< see judge()
  Sense sense = Sense::about;
  ClaimBasis basis = ClaimBasis::simulated;
  std::optional<double> ratio;  ///< ours
  Verdict verdict = Verdict::not_testable;
  Verdict expected = Verdict::not_testable;  ///< that the paper's file states
  std::vector<ClaimCase> cases;
  std::vector<ClaimVariation> variations;
  std::vector<std::string> assumptions;
  std::string because;  ///< one paragraph on the difference
};

struct Reproduction {
  std::string name, description, source;
  std::string feature;  ///< how a user's own experiment gets it
  std::vector<ClaimResult> claims;
};

/// Returns our gain over the claimed one, each a ratio minus one: 1.23 is 0.74 of a claimed 1.31.
/// None where a claim is of no gain but of equality, or without `ratio`.
std::optional<double> gain_share(const std::optional<double>& ratio, double says);

/// Returns the verdict on `ratio`. `tolerance` is of the claimed gain, and of the ratio itself
/// where nothing is gained. None: a claim that could not be put to the test.
Verdict judge(const std::optional<double>& ratio, double says, double tolerance, Sense sense);

}  // namespace pipewright
