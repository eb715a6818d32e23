#include "report/page/collective.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "report/json/collective.hpp"
#include "report/page/page.hpp"
#include "report/text/collective.hpp"

namespace pipewright {

void write_html(const CollectiveTable& table, const std::string& command, std::ostream& out) {
  write_page({.kind = "collective",
              .title = fmt::format("{} on {}", table.operation, table.cluster),
              .advice = collective_answer(table),
              .results = json_text(table),
              .judgement = dump_json(nlohmann::json{{"command", command}})},
             out);
}

}  // namespace pipewright
