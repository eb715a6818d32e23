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
  double tolerance = 0;  ///< relative
  Sense sense = Sense::about;
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

/// The verdict on `ratio`. None: a claim that could not be put to the test.
Verdict judge(const std::optional<double>& ratio, double says, double tolerance, Sense sense);

}  // namespace pipewright
