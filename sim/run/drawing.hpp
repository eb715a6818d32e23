// What a page draws of a run, told when it is asked for.
#pragma once

#include <functional>
#include <memory>

#include "result/run_result.hpp"
#include "run/executed.hpp"

namespace pipewright {

/// Returns what Run::draw of a run of `prepared` is, of which `executed` is what it ran.
std::function<Drawn(const Run&)> drawing_of(std::shared_ptr<const Prepared> prepared,
                                            const Executed& executed);

}  // namespace pipewright
