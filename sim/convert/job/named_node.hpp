// The node that a job's name says: gb200/llama3.py, llama3_70b_pretrain_64gpu_b200_config, --define
// gpu=h200.
#pragma once

#include <optional>
#include <string_view>

#include "convert/job/job.hpp"

namespace pipewright::job {

/// A node of the catalogue by which jobs are called.
struct NamedNode {
  std::string_view word, node;
  int64_t devices = 8;
  bool has_blackwell = false;  ///< whose devices have MXFP8 and NVFP4
  bool in_script = false;      ///< the text of the job says it, and not a name
};

/// Returns the node that --define gpu=WORD says, or the function that --define CONFIG=NAME says, or
/// an #SBATCH line, or a cloud's name of a machine in the text, or the file's name or that of one
/// of the two folders around it; nothing where none does, or where one says several.
std::optional<NamedNode> named_node(const Source& source);

/// Returns how many devices the function says by its name that --define CONFIG=NAME says, such as
/// 64 of llama3_8b_pretrain_64gpu_h100_config; nothing where it does not.
std::optional<int64_t> named_devices(const Source& source);

}  // namespace pipewright::job
