// Bytes on the heap, counted by the operators that memory.cpp replaces.
#pragma once

#include <cstddef>

namespace pipewright::test {

size_t live_bytes();
/// The most bytes that were live since the last reset.
size_t peak_bytes();
void reset_peak();

}  // namespace pipewright::test
