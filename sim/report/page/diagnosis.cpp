#include "report/page/diagnosis.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "report/json/diagnosis.hpp"
#include "report/page/page.hpp"
#include "report/text/numbers.hpp"

namespace pipewright {

void write_html(const Diagnosis& diagnosis, std::ostream& out) {
  Page page{.kind = "diagnosis",
            .title = "Why " + printable(diagnosis.source) + " is slow",
            .results = json_text(diagnosis)};
  if (!diagnosis.causes.empty()) {
    const Cause& first = diagnosis.causes.front();
    page.advice =
        fmt::format("{}, {}: {} of a step of {}", name_of(first.kind), printable(first.who),
                    human_time(first.recovered_s), human_time(diagnosis.typical.measured_s));
  }
  write_page(page, out);
}

}  // namespace pipewright
