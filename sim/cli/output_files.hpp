// Which files a command writes, beside those that it reads.
#pragma once

#include <boost/program_options/variables_map.hpp>

#include "config/value.hpp"

namespace pipewright::cli {

struct Outputs;

/// Throws InputError at an output without a name, at two outputs in one file, and at an output over
/// a file that the command line names to be read, by whatever name or link.
void check_output_files(const boost::program_options::variables_map& values);

/// Throws InputError at an output over a file that `experiment` names.
void check_output_files(const Outputs& outputs, const config::Value& experiment);

}  // namespace pipewright::cli
