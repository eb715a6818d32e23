#include "report/csv/reproduction.hpp"

#include <fmt/format.h>

#include "report/csv/field.hpp"

namespace pipewright {

std::string csv_text(std::span<const Reproduction> papers) {
  std::string text =
      "paper,claim,basis,sense,claimed,tolerance,ratio,gain_share,verdict,expected\n";
  for (const Reproduction& paper : papers) {
    for (const ClaimResult& claim : paper.claims) {
      text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", csv_field(paper.name),
                          csv_field(claim.name), to_string(claim.basis), to_string(claim.sense),
                          claim.says, claim.tolerance, csv_field(claim.ratio),
                          csv_field(gain_share(claim.ratio, claim.says)), to_string(claim.verdict),
                          to_string(claim.expected));
    }
  }
  return text;
}

}  // namespace pipewright
