// A script of a shell that starts a program by accelerate launch.
#pragma once

#include <string_view>

#include "convert/job/handed_over.hpp"

namespace pipewright::accelerate {

/// Returns the configuration that the first launch of the script names, with what its options say
/// over it as words KEY=VALUE, and what its program is given as --define has it. Throws InputError
/// where the script launches nothing so, or where the file cannot be read.
job::HandedOver launched(const job::Source& source);

/// Tells whether a text is such a script, and names a configuration.
bool is_launch_script(std::string_view text);

}  // namespace pipewright::accelerate
