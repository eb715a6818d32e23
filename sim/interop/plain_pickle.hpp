// Pickles of Python that hold data only: nothing, truth values, numbers, texts, tuples, lists and
// dictionaries, of protocols 2 to 5.
//
// A pickle is a program for a machine with a stack, and may call any function. This reader has the
// instructions that make data, and none that finds or calls anything.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace pipewright {

/// Returns what `bytes` say, tuples as lists. Keys that are no texts become texts. `file` is named
/// in messages. Throws InputError for what is broken, holds more than data, or shares parts so
/// often that it would become too large.
nlohmann::json read_plain_pickle(std::string_view bytes, const std::string& file);

/// Whether a file that begins so may be a pickle of protocol 2 or later.
bool is_pickle(std::string_view head);

}  // namespace pipewright
