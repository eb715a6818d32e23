#include "report/text/reproduction.hpp"

#include <fmt/format.h>

#include <array>

#include "report/text/table.hpp"

namespace pipewright {
namespace {

constexpr Verdict verdicts[] = {Verdict::reproduced, Verdict::contradicted, Verdict::not_testable};

std::string times(double ratio) { return fmt::format("{:.3g}x", ratio); }
std::string times(const std::optional<double>& ratio) { return ratio ? times(*ratio) : "-"; }

std::string said(const ClaimResult& claim) {
  return claim.sense == Sense::about
             ? times(claim.says)
             : fmt::format("{} {}", to_string(claim.sense), times(claim.says));
}

/// Our gain as a part of the claimed one.
std::string against(const ClaimResult& claim) {
  const std::optional<double> share = gain_share(claim.ratio, claim.says);
  return share ? fmt::format("{:.0f} %", 100 * *share) : "-";
}

/// The same verdict as the file states, or a mark that it is another.
std::string verdict_of(const ClaimResult& claim) {
  std::string text(to_string(claim.verdict));
  if (claim.verdict != claim.expected)
    text += fmt::format(" (the file states {})", to_string(claim.expected));
  return text;
}

std::string counts(std::span<const Reproduction> papers) {
  std::array<int, std::size(verdicts)> count{};
  for (const Reproduction& paper : papers)
    for (const ClaimResult& claim : paper.claims) ++count[static_cast<size_t>(claim.verdict)];
  std::string text;
  for (const Verdict verdict : verdicts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count[static_cast<size_t>(verdict)],
                        to_string(verdict));
  }
  return text + "\n";
}

std::string value_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : "-";
}

std::string case_rows(const ClaimResult& claim) {
  std::vector<std::vector<std::string>> rows = {
      {"case", "system", claim.quantity, "baseline", claim.quantity, "ratio"}};
  for (const ClaimCase& one : claim.cases) {
    rows.push_back({one.name.empty() ? "as given" : one.name, one.system,
                    value_text(one.system_value), one.baseline, value_text(one.baseline_value),
                    one.ratio ? times(*one.ratio) : one.reason});
  }
  return claim.cases.empty() ? std::string{} : aligned(rows, 2);
}

std::string in_full(const ClaimResult& claim, size_t columns) {
  constexpr size_t indent = 2;
  std::string text = fmt::format("{}: {} ({})\n", claim.name, claim.claim, claim.source);
  text += fmt::format("  claimed {}, here {} ({}): {}\n", said(claim), times(claim.ratio),
                      to_string(claim.basis), verdict_of(claim));
  if (const std::optional<double> share = gain_share(claim.ratio, claim.says))
    text += fmt::format("  that is {:.0f} % of the claimed gain\n", 100 * *share);
  text = wrapped(text, columns, indent) + case_rows(claim);
  std::string more;
  for (const std::string& assumption : claim.assumptions) more += "  assumed: " + assumption + "\n";
  for (const ClaimVariation& one : claim.variations)
    more += fmt::format("  with {}: {}\n", one.assumption, times(one.ratio));
  if (!claim.because.empty()) more += "  " + claim.because + "\n";
  return text + wrapped(more, columns, indent);
}

}  // namespace

std::string claims_table(std::span<const Reproduction> papers) {
  std::vector<std::vector<std::string>> rows = {
      {"paper", "claim", "basis", "claimed", "here", "of the gain", "verdict"}};
  for (const Reproduction& paper : papers) {
    for (const ClaimResult& claim : paper.claims)
      rows.push_back({paper.name, claim.name, std::string(to_string(claim.basis)), said(claim),
                      times(claim.ratio), against(claim), verdict_of(claim)});
  }
  return aligned(rows) + '\n' + counts(papers);
}

std::string claims_in_full(const Reproduction& paper, size_t columns) {
  std::string text = fmt::format("{}: {} ({})\n", paper.name, paper.description, paper.source);
  if (!paper.feature.empty()) text += fmt::format("  in an experiment: {}\n", paper.feature);
  for (const ClaimResult& claim : paper.claims) text += '\n' + in_full(claim, columns);
  return text;
}

}  // namespace pipewright
