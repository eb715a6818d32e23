#include "report/page/diagnosis.hpp"

#include "base/text.hpp"
#include "report/json/diagnosis.hpp"
#include "report/page/page.hpp"
#include "report/text/first_change.hpp"

namespace pipewright {

void write_html(const Diagnosis& diagnosis, std::ostream& out) {
  const Page page{.kind = "diagnosis",
                  .title = "Why " + printable(diagnosis.source) + " is slow",
                  .advice = first_change(diagnosis),
                  .results = json_text(diagnosis)};
  write_page(page, out);
}

}  // namespace pipewright
