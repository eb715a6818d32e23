#include "report/json/reproduction.hpp"

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "report/json/layout.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::ordered_json;

Json json(const ClaimCase& one) {
  Json j = {{"name", one.name},
            {"system", one.system},
            {"baseline", one.baseline},
            {"system_value", number_or_null(one.system_value)},
            {"baseline_value", number_or_null(one.baseline_value)},
            {"ratio", number_or_null(one.ratio)}};
  if (!one.ratio) j["reason"] = one.reason;
  return j;
}

Json json(const ClaimResult& claim) {
  Json j = {{"name", claim.name},
            {"claim", claim.claim},
            {"source", claim.source},
            {"quantity", claim.quantity},
            {"sense", to_string(claim.sense)},
            {"basis", to_string(claim.basis)},
            {"claimed", claim.says},
            {"tolerance", claim.tolerance},
            {"ratio", number_or_null(claim.ratio)},
            {"gain_share", number_or_null(gain_share(claim.ratio, claim.says))},
            {"verdict", to_string(claim.verdict)},
            {"expected", to_string(claim.expected)},
            {"assumptions", claim.assumptions},
            {"because", claim.because},
            {"cases", Json::array()},
            {"variations", Json::array()}};
  for (const ClaimCase& one : claim.cases) j["cases"].push_back(json(one));
  for (const ClaimVariation& one : claim.variations)
    j["variations"].push_back(
        {{"assumption", one.assumption}, {"ratio", number_or_null(one.ratio)}});
  return j;
}

}  // namespace

std::string json_text(std::span<const Reproduction> papers) {
  Json all = {{"schema", "pipewright.reproduction/1"}, {"papers", Json::array()}};
  for (const Reproduction& paper : papers) {
    Json j = {{"name", paper.name},
              {"description", paper.description},
              {"source", paper.source},
              {"feature", paper.feature},
              {"claims", Json::array()}};
    for (const ClaimResult& claim : paper.claims) j["claims"].push_back(json(claim));
    all["papers"].push_back(std::move(j));
  }
  return dump_json(all, 2) + '\n';
}

}  // namespace pipewright
