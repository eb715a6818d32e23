// What a job file says beside its experiment, by the keys of the last release that reads TOML.
#pragma once

#include "convert/job/settings.hpp"

namespace pipewright::torchtitan {

/// The last release that reads TOML. It refuses keys that it does not know.
inline constexpr std::string_view release = "v0.2.2";

/// Adds to what the import carries the keys that decide nothing, under the names of that release.
/// Those that it does not have are a list at `left`.
void carry_along(job::Import& import, const job::Settings& settings);

/// Returns where numbers of steps stand in it.
std::span<const std::string_view> step_counts();

}  // namespace pipewright::torchtitan
