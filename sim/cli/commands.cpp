#include "cli/registry.hpp"

namespace pipewright::cli {

std::span<const Command* const> commands() { return registry; }

}  // namespace pipewright::cli
