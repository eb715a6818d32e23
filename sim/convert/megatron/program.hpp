// What program of Megatron-LM a job starts.
#pragma once

#include <cstdint>

#include "convert/job/job.hpp"
#include "convert/job/launch.hpp"

namespace pipewright::megatron {

/// `list` where the job is a list of arguments, or starts a program that is not Megatron-LM's own.
enum class Program : uint8_t { list, gpt, hybrid, bert, t5 };

/// Returns the program by its name. Refuses one that does not pretrain a transformer of text.
Program program_of(const job::Launch& launch, const job::Source& source, job::Import& import);

}  // namespace pipewright::megatron
