#include "report/page/reproduction.hpp"

#include "report/json/reproduction.hpp"
#include "report/page/page.hpp"

namespace pipewright {

void write_html(std::span<const Reproduction> papers, std::ostream& out) {
  write_page({.kind = "reproduction",
              .title = papers.size() == 1 ? papers.front().description : "Published claims",
              .results = json_text(papers)},
             out);
}

}  // namespace pipewright
