#include "report/page/page.hpp"

#include <nlohmann/json.hpp>

#include "report/text/comparison.hpp"
#include "report/page/timeline.hpp"
#include "report/json/result.hpp"
#include "report/page/embedded.hpp"
#include "report/text/reproduction.hpp"
#include "report/text/validation.hpp"

namespace pipewright {
namespace {

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Writes JSON so that no name in it can end the <script> it stands in.
void write_within_script(std::string_view json, std::ostream& out) {
  for (size_t at; (at = json.find('<')) != std::string_view::npos; json.remove_prefix(at + 1))
    out << json.substr(0, at) << "\\u003c";
  out << json;
}

std::string escaped(std::string_view text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '<':
        html += "&lt;";
        break;
      case '&':
        html += "&amp;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

}  // namespace

void write_page(const Page& page, std::ostream& out) {
  out << page::before_title << escaped(page.title) << page::before_data;
  write_within_script("{\"kind\":" + quoted(page.kind) + ",\"title\":" + quoted(page.title) +
                          ",\"advice\":" + quoted(page.advice) + ",\n\"results\":",
                      out);
  write_within_script(page.results, out);
  if (!page.judgement.empty()) write_within_script(",\n\"judgement\":" + page.judgement, out);
  out << ",\"timelines\":[";
  const char* between = "\n";
  for (const std::string& timeline : page.timelines) {
    out << std::exchange(between, ",\n");
    write_within_script(timeline, out);
  }
  out << "]}" << page::after_data;
}

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

void write_html(const Validation& validation, std::ostream& out) {
  write_page({.kind = "validation",
              .title = "Predictions against measurements",
              .results = json_text(validation)},
             out);
}

void write_html(std::span<const Reproduction> papers, std::ostream& out) {
  write_page({.kind = "reproduction",
              .title = papers.size() == 1 ? papers.front().description : "Published claims",
              .results = json_text(papers)},
             out);
}

}  // namespace pipewright
