#include "report/text/first_change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "report/text/numbers.hpp"

namespace pipewright {
namespace {

/// Gains are told within this part of them, which tests/cli/outside holds. What recovers less is
/// within the error of another gain.
constexpr double error_of_gains = 0.05;

bool has_remedy(const Cause& cause) { return !cause.remedy.empty(); }

/// How far measured steps are from their median, the median of that: what is less is noise.
double variation(const Diagnosis& d) {
  std::vector<double> apart;
  for (const StepFinding& step : d.steps)
    apart.push_back(std::abs(step.measured_s - d.typical.measured_s));
  std::ranges::sort(apart);
  return apart.empty() ? 0 : apart[apart.size() / 2];
}

/// The most that any remedy brings.
double largest_gain(const Diagnosis& d) {
  double largest = 0;
  for (const Cause& cause : d.causes)
    if (has_remedy(cause)) largest = std::max(largest, cause.gain_s());
  return largest;
}

/// How sure a gain is, as far as steps differ.
std::string spread_of(const Cause& cause) {
  if (!cause.gain_p10_s || !cause.gain_p90_s) return {};
  const std::string least = human_time(*cause.gain_p10_s), most = human_time(*cause.gain_p90_s);
  if (least == most) return {};
  return fmt::format(", and in eight steps of ten between {} and {}", least, most);
}

/// What is missing in the simulated step, where that is more than `gain_s`.
std::string unexplained_first(const Diagnosis& d, double gain_s) {
  const double missing_s = d.typical.measured_s - d.typical.simulated_s;
  if (missing_s <= gain_s) return {};
  return fmt::format("Look at the notes first: no cause explains {} of a step. ",
                     percent(missing_s / d.typical.measured_s));
}

}  // namespace

std::string first_change(const Diagnosis& d) {
  if (std::ranges::none_of(d.causes, has_remedy)) return {};
  const double noise = variation(d), least = std::max(noise, error_of_gains * largest_gain(d));
  const auto first = std::ranges::find_if(
      d.causes, [&](const Cause& cause) { return has_remedy(cause) && cause.gain_s() > least; });
  if (first == d.causes.end())
    return fmt::format(
        "Nothing stands out: no cause recovers more than the {} by which steps vary.",
        human_time(noise));
  const std::string before = unexplained_first(d, first->gain_s());
  return before + fmt::format("{}: {}. That brings {}{}, {} of a step{}.",
                              before.empty() ? "First" : "Then", printable(first->remedy),
                              first->beyond_peers ? "at most " : "", human_time(first->gain_s()),
                              percent(first->gain_s() / mean_step_s(d)), spread_of(*first));
}

}  // namespace pipewright
