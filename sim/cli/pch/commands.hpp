// Headers that nearly every command includes, compiled once: as sim/pch/standard.hpp says.
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/positional_options.hpp>
#include <boost/program_options/variables_map.hpp>

#include "pch/standard.hpp"
