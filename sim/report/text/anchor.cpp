#include "report/text/anchor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "report/text/numbers.hpp"
#include "result/unexplained.hpp"

namespace pipewright {
namespace {

/// How an expected range of four in five is wide, in standard deviations of a normal number.
constexpr double four_in_five = 1.2816;

TableRows factor_rows(const Anchor& anchor) {
  constexpr const char* meanings[] = {"kernels", "network between nodes", "hosts"};
  TableRows rows = {{"what", "takes", "four in five", "known before"}};
  for (size_t part = 0; part < anchor.factors.size(); ++part) {
    const double middle = std::log(anchor.factors[part]);
    const auto range = [](double at, double variance) {
      const double half = four_in_five * std::sqrt(variance);
      return fmt::format("{:.2f} to {:.2f}", std::exp(at - half), std::exp(at + half));
    };
    rows.push_back({meanings[part], fmt::format("{:.3f}x", anchor.factors[part]),
                    range(middle, anchor.covariance[part][part]),
                    range(0, prior_anchor().covariance[part][part])});
  }
  return rows;
}

std::string error(double predicted, double measured) {
  return fmt::format("{:+.1f} %", (predicted / measured - 1) * 100);
}

TableRows anchored_rows(const std::vector<AnchoredRun>& runs) {
  TableRows rows = {{"run", "measured", "predicted", "error", "anchored", "error"}};
  for (const AnchoredRun& run : runs)
    rows.push_back({run.name, human(seconds(run.measured_s)), human(seconds(run.predicted_s)),
                    error(run.predicted_s, run.measured_s), human(seconds(run.anchored_s)),
                    error(run.anchored_s, run.measured_s)});
  return rows;
}

std::string rounded_factor(double factor) {
  return factor < 10 ? fmt::format("{:#.2g}", factor) : fmt::format("{:.0f}", factor);
}

std::string unexplained_lines(const std::vector<AnchoredRun>& runs) {
  std::string lines;
  for (const AnchoredRun& run : runs)
    if (is_unexplained(run))
      lines += fmt::format(
          "\nwarning: run '{}' took {} times what was predicted: kernels, network and host do not "
          "explain it\n",
          printable(run.name), rounded_factor(run.measured_s / run.predicted_s));
  return lines;
}

}  // namespace

Report anchor_report(const AnchorFit& fit) {
  return Report()
      .heading("An anchor")
      .lines(fmt::format("An anchor for {} on {}, of {} on {:.3g} nodes in the mean.\n\n",
                         fit.anchor.framework, fit.anchor.device, counted(fit.anchor.runs, "run"),
                         fit.anchor.nodes))
      .table(factor_rows(fit.anchor))
      .lines("\n")
      .table(anchored_rows(fit.runs))
      .lines(unexplained_lines(fit.runs));
}

}  // namespace pipewright
