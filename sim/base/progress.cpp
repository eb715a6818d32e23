#include "base/progress.hpp"

namespace pipewright {
namespace {

thread_local Progress* told = nullptr;

}  // namespace

Progress* progress_of_thread() { return told; }

ProgressScope::ProgressScope(Progress* progress) : before_(told) { told = progress; }

ProgressScope::~ProgressScope() { told = before_; }

}  // namespace pipewright
