#include "report/page/page.hpp"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/json.hpp"
#include "report/page/embedded.hpp"

namespace pipewright {
namespace {

std::string quoted(const std::string& text) { return dump_json(nlohmann::json(text)); }

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
  if (!page.assumed.empty()) write_within_script(",\n\"assumed\":" + page.assumed, out);
  if (!page.judgement.empty()) write_within_script(",\n\"judgement\":" + page.judgement, out);
  out << ",\"timelines\":[";
  const char* between = "\n";
  for (const std::string& timeline : page.timelines) {
    out << std::exchange(between, ",\n");
    write_within_script(timeline, out);
  }
  out << "]}" << page::after_data;
}

}  // namespace pipewright
