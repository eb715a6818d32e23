// Degrees that are said as the axes of a device mesh (`parallel.mesh`).
#pragma once

#include <optional>

#include "config/value.hpp"

namespace pipewright {

/// The axes of a mesh that no degree says.
struct DeviceMesh {
  int replicate = 1;
  int shard = 0;  ///< 0: the devices that the other axes leave
  Where where;    ///< of the mesh in the user's file
};

/// Writes the degrees that mean the same in the place of `parallel.mesh`, if it is there, and
/// returns the mesh. Throws InputError for what is no mesh, and for a degree beside it.
std::optional<DeviceMesh> spell_out_mesh(config::Value& document);

}  // namespace pipewright
