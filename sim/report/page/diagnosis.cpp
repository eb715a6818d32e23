#include "report/page/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "report/json/diagnosis.hpp"
#include "report/page/page.hpp"
#include "report/text/numbers.hpp"

namespace pipewright {

void write_html(const Diagnosis& diagnosis, std::ostream& out) {
  Page page{.kind = "diagnosis",
            .title = "Why " + printable(diagnosis.source) + " is slow",
            .results = json_text(diagnosis)};
  const auto first = std::ranges::find_if(diagnosis.causes,
                                          [](const Cause& cause) { return !cause.remedy.empty(); });
  if (first != diagnosis.causes.end())
    page.advice =
        fmt::format("First: {}. That brings {} of a step of {}.", printable(first->remedy),
                    human_time(first->gain_s()), human_time(diagnosis.typical.measured_s));
  write_page(page, out);
}

}  // namespace pipewright
