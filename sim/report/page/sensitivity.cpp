#include "report/page/sensitivity.hpp"

#include "report/json/sensitivity.hpp"
#include "report/page/assumed.hpp"
#include "report/page/page.hpp"
#include "report/text/sensitivity.hpp"

namespace pipewright {

void write_html(const Sensitivity& sensitivity, std::ostream& out) {
  write_page({.kind = "sensitivity",
              .title = "What ten per cent more gains",
              .advice = sensitivity_advice(sensitivity),
              .assumed = assumed_json(sensitivity.experiment, sensitivity.given),
              .results = json_text(sensitivity)},
             out);
}

}  // namespace pipewright
