// The output of 'sweep' and 'merge'.
#pragma once

#include "cli/options.hpp"
#include "study/study_file.hpp"
#include "study/sweep_store.hpp"

namespace pipewright::cli {

void write_sweep(const Study& study, const SweepStore& store, const CommonOptions& common);

/// "3/16": shard 3 of 16. Throws InputError for anything else.
std::pair<int, int> read_shard(const std::string& text);

}  // namespace pipewright::cli
