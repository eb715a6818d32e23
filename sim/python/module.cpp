// The Python module: commands of the program, asked without a process. pipewright/__init__.py gives
// each a function.
#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <cstdlib>
#include <sstream>

#include "base/several_errors.hpp"
#include "cli/command.hpp"
#include "cli/help.hpp"
#include "python/document.hpp"
#include "python/watched.hpp"
#include "report/io/atomic_file.hpp"

namespace pipewright::python {
namespace {

namespace py = pybind11;
using cli::Command;
using cli::Outcome;

const Command& command_of(const std::string& name) {
  for (const Command* command : cli::commands())
    if (command->name == name && command->ask) return *command;
  throw InputError(fmt::format("'{}' is no function of this module", name));
}

/// The functions that there are, with their help.
py::dict functions() {
  py::dict all;
  for (const Command* command : cli::commands())
    if (command->ask) all[py::str(command->name)] = py::str(command->help);
  return all;
}

/// `document` is None or what a word `-` stands for.
std::shared_ptr<Outcome> ask(const std::string& name, cli::Arguments words,
                             const py::object& document, const std::string& document_name,
                             const py::object& progress) {
  const char* path = std::getenv("PIPEWRIGHT_PATH");
  cli::Environment environment{.catalogue = config::Catalogue(path ? path : "")};
  if (!document.is_none()) environment.document = document_of(document, document_name);
  return ask_watched(command_of(name), std::move(words), std::move(environment), progress);
}

using Form = void (Outcome::*)(std::ostream&) const;
constexpr std::pair<const char*, Form> forms[] = {{"json", &Outcome::json},
                                                  {"csv", &Outcome::csv},
                                                  {"html", &Outcome::html},
                                                  {"trace", &Outcome::trace}};

/// `form` is a name of `forms`, or "experiment".
void save(const Outcome& outcome, const std::string& form, const std::string& path) {
  const py::gil_scoped_release others_run;
  for (const auto& [name, write] : forms)
    if (name == form)
      return write_file(path, [&, write = write](std::ostream& out) { (outcome.*write)(out); });
  outcome.save_experiment(path);
}

std::string text_by(const Outcome& outcome, Form form) {
  const py::gil_scoped_release others_run;
  std::ostringstream out;
  (outcome.*form)(out);
  return std::move(out).str();
}

void write_text(const std::string& path, const std::string& text) { write_file(path, text); }

/// Raises the Python class `name` of pipewright.errors with `arguments`.
template <class... Arguments>
void raise(const char* name, const Arguments&... arguments) {
  const py::object type = py::module_::import("pipewright.errors").attr(name);
  PyErr_SetObject(type.ptr(), type(arguments...).ptr());
}

void translate(std::exception_ptr thrown) {
  try {
    std::rethrow_exception(std::move(thrown));
  } catch (const InputError& error) {
    const Where& where = error.where();
    const auto* unreadable = dynamic_cast<const UnreadableFile*>(&error);
    const std::string file = unreadable && where.file.empty() ? unreadable->path() : where.file;
    raise("InputError", in_one_line(error), error.message(), file, where.line, where.column);
  } catch (const Failure& failure) {
    raise("Failure", std::string(failure.what()));
  }
}

}  // namespace
}  // namespace pipewright::python

PYBIND11_MODULE(_pipewright, module) {
  using namespace pipewright::python;
  namespace py = pybind11;
  module.attr("__version__") = std::string(pipewright::cli::version);
  py::register_exception_translator(translate);
  module.def("functions", functions);
  module.def("ask", ask);
  module.def("write", write_text);

  py::class_<Outcome, std::shared_ptr<Outcome>> outcome(module, "Outcome");
  for (const auto& [name, form] : forms)
    outcome.def(name, [form = form](const Outcome& self) { return text_by(self, form); });
  outcome.def("save", save);
  outcome.def_property_readonly("best", &Outcome::best);
  outcome.def("text",
              [](const Outcome& self, size_t columns) { return self.report(columns).text(); });
  outcome.def_property_readonly("has_page", [](const Outcome& self) { return self.forms().html; });
}
