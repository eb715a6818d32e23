#include "report/page/run.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "report/json/result.hpp"
#include "report/page/page.hpp"
#include "report/page/timeline.hpp"
#include "report/text/recommendation.hpp"
#include "report/text/summary_job.hpp"

namespace pipewright {

namespace {

/// What an experiment took by default, [{key, value, matters}], those that matter most first.
std::string assumed_json(const RunResult& result, const config::Value& given) {
  std::vector<DefaultTaken> taken = defaults_taken(result.experiment.value(), given);
  std::ranges::stable_partition(taken, &DefaultTaken::matters_most);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const DefaultTaken& one : taken)
    list.push_back({{"key", one.key}, {"value", one.value}, {"matters", one.matters_most}});
  return list.empty() ? std::string() : dump_json(list);
}

}  // namespace

void write_html(const Run& run, const Drawn& drawn, const config::Value& given, std::ostream& out) {
  write_page({.kind = "run",
              .title = run.result.schedule,
              .assumed = assumed_json(run.result, given),
              .results = json_text(run.result),
              .timelines = {timeline_json(run, drawn)}},
             out);
}

void write_html(std::span<const Row> rows, std::span<const Drawn> drawn, std::ostream& out) {
  Page page{.kind = "comparison",
            .title = "Schedules compared",
            .advice = recommendation(rows),
            .results = json_text(rows)};
  for (size_t i = 0; i < rows.size(); ++i)
    page.timelines.push_back(rows[i].run ? timeline_json(*rows[i].run, drawn[i]) : "null");
  write_page(page, out);
}

}  // namespace pipewright
