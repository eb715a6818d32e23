#include "report/csv/residuals.hpp"

#include <fmt/format.h>

#include "report/csv/field.hpp"

namespace pipewright {

std::string residuals_text(const Validation& validation) {
  std::string text =
      "group,framework,device,precision,nodes,datasheet,exposed,host,bubble,busy,slower\n";
  for (const ValidationRun& run : validation.runs) {
    const std::optional<double> slower = run.slower();
    if (!slower) continue;
    const Regime& r = run.regime;
    text += fmt::format("{},{},{},{},{},{:.3f},{:.3f},{:.3f},{:.3f},{:.3f},{:.4f}\n",
                        csv_field(run.group), r.framework, csv_field(r.device), r.precision,
                        r.nodes, r.datasheet, r.exposed, r.host, r.bubble, r.busy, *slower);
  }
  return text;
}

}  // namespace pipewright
