#include "report/page/run.hpp"

#include "report/json/result.hpp"
#include "report/page/page.hpp"
#include "report/page/timeline.hpp"
#include "report/text/recommendation.hpp"

namespace pipewright {

void write_html(const Run& run, std::ostream& out) {
  write_page({.kind = "run",
              .title = run.result.schedule,
              .results = json_text(run.result),
              .timelines = {timeline_json(run)}},
             out);
}

void write_html(std::span<const Row> rows, std::ostream& out) {
  Page page{.kind = "comparison",
            .title = "Schedules compared",
            .advice = recommendation(rows),
            .results = json_text(rows)};
  for (const Row& row : rows) page.timelines.push_back(row.run ? timeline_json(*row.run) : "null");
  write_page(page, out);
}

}  // namespace pipewright
