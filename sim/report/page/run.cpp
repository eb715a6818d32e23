#include "report/page/run.hpp"

#include "report/json/result.hpp"
#include "report/page/assumed.hpp"
#include "report/page/page.hpp"
#include "report/page/timeline.hpp"
#include "report/text/recommendation.hpp"

namespace pipewright {

void write_html(const Run& run, const Drawn& drawn, const config::Value& given, std::ostream& out) {
  write_page({.kind = "run",
              .title = run.result.schedule,
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
