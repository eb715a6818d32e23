// Long work for a caller from Python: others run meanwhile, and Ctrl-C ends it.
#pragma once

#include <pybind11/pybind11.h>

#include <memory>

#include "cli/command.hpp"

namespace pipewright::python {

/// Does what `command` asks for on a thread of its own and waits for it without Python's lock.
/// `progress` is None or is called with what is being done, how much of it and of how much, from
/// the thread that waits: "runs" where there are many, else the step of the one; a total of 0 is
/// unknown. A signal's exception, or one of `progress`, ends the work.
std::shared_ptr<cli::Outcome> ask_watched(const cli::Command& command, cli::Arguments arguments,
                                          cli::Environment environment,
                                          const pybind11::object& progress);

}  // namespace pipewright::python
