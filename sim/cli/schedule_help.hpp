// What `help` and `list` say of a schedule and its options.
#pragma once

#include <string>
#include <string_view>

namespace pipewright::schedule {
struct Kind;
struct KindOption;
}  // namespace pipewright::schedule

namespace pipewright::cli {

/// "zb-auto: what it is", then its options.
std::string schedule_text(const schedule::Kind& kind);

/// The default of an option, as it is written or in words.
std::string_view default_of(const schedule::KindOption& option);

/// The schedule of "schedule.NAME"; nullptr for keys that do not begin so. Throws InputError for an
/// unknown name.
const schedule::Kind* schedule_of_key(std::string_view key);

/// Every schedule that has options, a line each.
std::string schedules_with_options();

/// A section of the reference: a table of all options.
std::string schedule_options_markdown();

}  // namespace pipewright::cli
