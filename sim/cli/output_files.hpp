// Which files a command writes, beside those that it reads.
#pragma once

#include <boost/program_options/variables_map.hpp>

namespace pipewright::cli {

/// Throws InputError at an output without a name, at two outputs in one file, and at an output over
/// a file that the command line names to be read, by whatever name or link.
void check_output_files(const boost::program_options::variables_map& values);

}  // namespace pipewright::cli
