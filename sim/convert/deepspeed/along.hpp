// What a job of DeepSpeed says beside its experiment: keys of its configuration, and arguments that
// Megatron-DeepSpeed has too.
#pragma once

#include <span>
#include <string_view>

#include "convert/job/settings.hpp"

namespace pipewright::deepspeed {

/// Below it are the arguments of the program that go along; other keys are the configuration's.
inline constexpr std::string_view arguments_along = "arguments";

/// Adds to what `import` carries the keys of the configuration that decide nothing.
void carry_configuration(job::Import& import, const job::Settings& config);

/// Adds arguments of a program that is not Megatron-DeepSpeed, whose names a job that is written
/// does not have. They do not go along, and are named.
void carry_program(job::Import& import, const config::Value& arguments);

/// Adds of what the import of a launch carries as Megatron-LM's the arguments of
/// Megatron-DeepSpeed. The others do not go along, and are named.
void carry_megatron(job::Import& import, const config::Value& carried);

/// Returns where numbers of steps stand in it.
std::span<const std::string_view> step_counts();

}  // namespace pipewright::deepspeed
