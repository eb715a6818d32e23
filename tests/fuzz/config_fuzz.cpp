// Any bytes are a YAML document or an InputError, and so is every reading of every value in it.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "config/value.hpp"

namespace pipewright::config {
namespace {

template <class Read>
void attempt(Read read) {
  try {
    read();
  } catch (const InputError&) {  // the one way in which input may fail
  }
}

void read_as_everything(const Value& value) {
  attempt([&] { as_text(value); });
  attempt([&] { as_bool(value); });
  attempt([&] { as_int(value, -1'000'000, 1'000'000); });
  attempt([&] { as_number(value, -1e9, 1e9); });
  attempt([&] { as_fraction(value, 0, 1); });
  attempt([&] { as_time(value); });
  attempt([&] { as_seconds(value); });
  attempt([&] { as_bytes(value); });
  attempt([&] { as_bandwidth(value); });
  attempt([&] { as_flop_rate(value); });
  attempt([&] { as_watts(value); });
  attempt([&] { as_count(value); });
  attempt([&] { as_choice(value, {"async", "sender", "rendezvous"}); });
  attempt([&] { Fields(value, "experiment", {"model", "cluster", "schedule"}).at("model"); });
  for (const Value& item : value.items) read_as_everything(item);
  for (const Entry& entry : value.entries) read_as_everything(entry.value);
}

/// The text once more as the assignment of a --set, on itself.
void change(Value document, std::string_view text) {
  const Value before = document;
  attempt([&] { set_path(document, text.substr(0, text.find('\n'))); });
  attempt([&] { merge(document, before); });
}

}  // namespace
}  // namespace pipewright::config

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pipewright::config;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  attempt([&] {
    const Value document = parse(text, "fuzz.yaml");
    read_as_everything(document);
    change(document, text);
  });
  attempt([&] {
    Value empty;
    set_path(empty, text);
  });
  return 0;
}
