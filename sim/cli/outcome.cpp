#include "cli/outcome.hpp"

#include "base/error.hpp"
#include "config/emit.hpp"
#include "report/io/atomic_file.hpp"
#include "report/json/document.hpp"

namespace pipewright::cli {

void Outcome::csv(std::ostream&) const { throw InputError("this result has no form as CSV"); }

void Outcome::html(std::ostream&) const { throw InputError("this result has no page"); }

void Outcome::trace(std::ostream&) const { throw InputError("this result has no trace"); }

void Outcome::save_experiment(const std::string&) const {
  throw InputError("this result is no single experiment");
}

void Outcome::save_trace(const std::string& path) const {
  write_file(path, [&](std::ostream& out) { trace(out); });
}

void DocumentOutcome::json(std::ostream& out) const { out << json_text(document_); }

Report DocumentOutcome::report(size_t) const {
  return Report().heading("A document").drawing(config::to_yaml(document_));
}

}  // namespace pipewright::cli
