// Balanced stages as other tools can be told them: by the blocks of each.
#pragma once

#include "config/catalogue.hpp"
#include "config/value.hpp"

namespace pipewright::job {

/// Returns `experiment` with the blocks of each stage in place of `partition: balanced`; as it is
/// where stages are not balanced. Throws InputError; Misfit where it cannot run.
config::Value with_counted_stages(const config::Value& experiment,
                                  const config::Catalogue& catalogue);

}  // namespace pipewright::job
