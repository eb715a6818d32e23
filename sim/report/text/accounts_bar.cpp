#include "report/text/accounts_bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "program/names.hpp"

namespace pipewright {
namespace {

constexpr std::string_view compute_letters = "FBIWRSC";
constexpr std::string_view exposed_letters = "ptdeco";

}  // namespace

std::vector<AccountPlace> places_of(const Metrics& metrics, const Breakdown& beside) {
  const Breakdown& mean = metrics.breakdown;
  const IfFree* gain = metrics.detail.if_free ? &*metrics.detail.if_free : nullptr;
  std::vector<AccountPlace> places;
  const auto add = [&](AccountPlace place) {
    if (place.mean != Time{} || place.beside != Time{}) places.push_back(std::move(place));
  };
  for (size_t kind = 0; kind < compute_kinds; ++kind) {
    std::string name = name_of(static_cast<ComputeKind>(kind));
    std::replace(name.begin(), name.end(), '_', ' ');
    add({compute_letters[kind], "compute: " + name, mean.compute[kind], beside.compute[kind]});
  }
  for (size_t kind = 0; kind < traffic_kinds; ++kind)
    add({exposed_letters[kind], fmt::format("exposed: {}", to_string(static_cast<Traffic>(kind))),
         mean.exposed[kind], beside.exposed[kind], gain ? &gain->traffic[kind] : nullptr});
  add({'h', "host", mean.host, beside.host, gain ? &gain->host : nullptr});
  add({'.', "bubble", mean.bubble, beside.bubble, gain ? &gain->bubble : nullptr});
  return places;
}

std::string accounts_bar(const Metrics& metrics, size_t width) {
  if (metrics.breakdown.computing() == Time{}) return {};
  const double all = in_seconds(metrics.breakdown.total());
  std::string bar;
  double until = 0;
  for (const AccountPlace& place : places_of(metrics, metrics.breakdown)) {
    until += in_seconds(place.mean) / all;
    const auto end = static_cast<size_t>(until * static_cast<double>(width) + 0.5);
    bar.resize(std::max(bar.size(), std::min(end, width)), place.letter);
  }
  return "|" + bar + "|";
}

}  // namespace pipewright
