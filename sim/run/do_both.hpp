// Two halves of the work on one large program, beside each other on two cores.
#pragma once

#include <cstddef>
#include <functional>

namespace pipewright {

/// Calls both, neither of which writes what the other reads: one after the other where a program of
/// `ops` is too small to be worth a thread. Throws what one of them throws.
void do_both(size_t ops, const std::function<void()>& first, const std::function<void()>& second);

}  // namespace pipewright
