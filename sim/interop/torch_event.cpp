#include "interop/torch_event.hpp"

#include <charconv>
#include <cstdlib>
#include <string>

#include "interop/words.hpp"

namespace pipewright::interop {
namespace {

/// The number nearest to `written`; infinite where it is beyond all.
double nearest(std::string_view written) {
  double value = 0;
  const auto [end, error] = std::from_chars(written.data(), written.data() + written.size(), value);
  return error == std::errc() ? value : std::strtod(std::string(written).c_str(), nullptr);
}

/// Numbers from 2^63 on are addresses, of which the bits matter.
std::optional<int64_t> whole_number(std::string_view written) {
  if (const auto number = number_of<int64_t>(written)) return number;
  if (const auto number = number_of<uint64_t>(written)) return static_cast<int64_t>(*number);
  return std::nullopt;
}

}  // namespace

void TorchEvent::begin(std::string_view text) {
  category.clear(), phase.clear(), name.clear();
  start_us.reset(), length_us.reset(), row.reset(), process.reset();
  correlation.reset(), stream.reset();
  names_collective = false;
  reader_.begin(text);
  reader_.enter_object();
}

const std::string& TorchEvent::read_until(const std::string& known) {
  while (known.empty() && reader_.next_member()) read_member();
  return known;
}

bool TorchEvent::read_rest() {
  while (reader_.next_member()) read_member();
  return reader_.at_end();
}

void TorchEvent::read_member() {
  const std::string_view key = reader_.key();
  if (key == "ph") return take(phase);
  if (key == "cat") return take(category);
  if (key == "name") return take(name);
  if (key == "ts") return take(start_us);
  if (key == "dur") return take(length_us);
  if (key == "tid") return take(row);
  if (key == "pid") return take(process);
  if (key == "args" && reader_.kind() == JsonKind::object) return read_arguments();
  reader_.skip();
}

void TorchEvent::read_arguments() {
  reader_.enter_object();
  while (reader_.next_member()) {
    const std::string_view key = reader_.key();
    names_collective = names_collective || key == "Collective name";
    if (key == "correlation")
      take(correlation);
    else if (key == "stream")
      take(stream);
    else
      reader_.skip();
  }
}

void TorchEvent::take(std::string& text) {
  if (reader_.kind() == JsonKind::text)
    text = reader_.take_text();
  else
    reader_.skip();
}

void TorchEvent::take(std::optional<double>& time) {
  if (reader_.kind() != JsonKind::number) return reader_.skip();
  const std::string_view written = reader_.take_number();
  if (!reader_.failed()) time = nearest(written);
}

void TorchEvent::take(std::optional<int64_t>& whole) {
  if (reader_.kind() == JsonKind::text)
    whole = number_of<int64_t>(reader_.take_text());
  else if (reader_.kind() == JsonKind::number) {
    if (const auto number = whole_number(reader_.take_number())) whole = number;
  } else
    reader_.skip();
}

}  // namespace pipewright::interop
