// A recipe of NeMo 2 with every part by its name, as NeMo-Run writes it.
#pragma once

#include "config/value.hpp"
#include "convert/job/job.hpp"

namespace pipewright::nemo {

/// Names the arguments that a program gives without a name, such as GPTModel(config). Moves the
/// callback that decides what hides out of the list of callbacks, to "comm_overlap" at the top, and
/// the plugin for number formats out of a list of plugins: Settings know maps by their paths, and
/// no lists. Refuses another plugin.
void name_parts(config::Value& root, const job::Source& source, job::Import& import);

}  // namespace pipewright::nemo
