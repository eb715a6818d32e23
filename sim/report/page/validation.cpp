#include "report/page/validation.hpp"

#include "report/json/validation.hpp"
#include "report/page/page.hpp"

namespace pipewright {

void write_html(const Validation& validation, std::ostream& out) {
  write_page({.kind = "validation",
              .title = "Predictions against measurements",
              .results = json_text(validation)},
             out);
}

}  // namespace pipewright
