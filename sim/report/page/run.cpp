#include "report/page/run.hpp"

#include <fmt/format.h>

#include "report/json/result.hpp"
#include "report/page/assumed.hpp"
#include "report/page/page.hpp"
#include "report/page/timeline.hpp"
#include "report/text/numbers.hpp"
#include "report/text/recommendation.hpp"
#include "report/timeline/tracks.hpp"

namespace pipewright {
namespace {

/// The answer in a sentence or two: how long, how sure, and whether it fits.
std::string answer(const Run& run) {
  const RunResult& result = run.result;
  if (is_trace(run) || is_traffic(run) || result.metrics.ranks.empty()) return {};
  std::string text = fmt::format("An iteration takes {}", human(result.metrics.iteration));
  if (const auto& range = result.ranges.uncertainty)
    text += fmt::format(", {} to {} (p10 to p90)", human(range->p10), human(range->p90));
  text += '.';
  const Fit& fit = result.fit;
  if (!fit.device_memory) return text;
  const std::string need = fmt::format("{} of {}", human(fit.fullest), human(*fit.device_memory));
  if (fit.feasible) return fmt::format("{} It fits: the fullest device holds {}.", text, need);
  text += fmt::format(" It does not fit: a device would need {}.", need);
  if (!fit.no_remedy.empty()) text += fmt::format(" It would fit with {}.", fit.no_remedy);
  return text;
}

}  // namespace

void write_html(const Run& run, const Drawn& drawn, const config::Value& given, std::ostream& out) {
  write_page({.kind = "run",
              .title = run.result.schedule,
              .advice = answer(run),
              .assumed = assumed_json(run.result.experiment, given),
              .results = json_text(run.result),
              .timelines = {timeline_json(run, drawn)}},
             out);
}

void write_html(std::span<const Row> rows, std::span<const Drawn> drawn, std::ostream& out) {
  Page page{.kind = "comparison",
            .title = "Schedules compared",
            .advice = recommendation(rows),
            .results = json_text(rows)};
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto& run = rows[i].run;
    page.timelines.push_back(run ? timeline_json(*run, drawn[i]) : "null");
  }
  write_page(page, out);
}

}  // namespace pipewright
