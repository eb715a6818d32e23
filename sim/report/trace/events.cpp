#include "report/trace/events.hpp"

#include <nlohmann/json.hpp>

#include "base/json.hpp"

namespace pipewright {
namespace {

std::string text_in_json(std::string_view text) {
  using Json = nlohmann::json;
  return dump_json(Json(text));
}

}  // namespace

TraceEvents::TraceEvents(std::ostream& out, std::string_view title) : text_(out) {
  text_ << R"({"displayTimeUnit":"ns","otherData":{"schema":"pipewright.trace/1","title":)"
        << text_in_json(title) << R"(},"traceEvents":[)";
}

/// Starts an event on a line of its own, up to and without its first field.
TextStream& TraceEvents::event(char phase) {
  text_ << (first_ ? "\n" : ",\n") << R"({"ph":")" << std::string_view(&phase, 1) << "\",";
  first_ = false;
  return text_;
}

/// A decimal number without trailing zeros.
void TraceEvents::microseconds(Time time) {
  text_ << time.ps / 1'000'000;
  int64_t picoseconds = time.ps % 1'000'000;
  if (picoseconds == 0) return;
  char digits[7] = {'.'};
  for (int k = 6; k > 0; --k, picoseconds /= 10)
    digits[k] = static_cast<char>('0' + picoseconds % 10);
  size_t length = 7;
  while (digits[length - 1] == '0') --length;
  text_ << std::string_view(digits, length);
}

void TraceEvents::name_process(uint32_t number, const Process& process) {
  event('M') << R"("pid":)" << number << R"(,"name":"process_name","args":{"name":)"
             << text_in_json(process.name) << R"(,"run":)" << text_in_json(process.run)
             << R"(,"pipeline":)" << process.pipeline << R"(,"tensor":)" << process.tensor
             << R"(,"data":)" << process.data << R"(,"device":)" << process.device
             << R"(,"stands_for":)" << process.devices << "}}";
  event('M') << R"("pid":)" << number << R"(,"name":"process_sort_index","args":{"sort_index":)"
             << number << "}}";
}

void TraceEvents::name_thread(Track track, std::string_view name) {
  event('M') << R"("pid":)" << track.process << R"(,"tid":)" << track.thread
             << R"(,"name":"thread_name","args":{"name":)" << text_in_json(name) << "}}";
  event('M') << R"("pid":)" << track.process << R"(,"tid":)" << track.thread
             << R"(,"name":"thread_sort_index","args":{"sort_index":)" << track.thread << "}}";
}

void TraceEvents::begin_slice(Track track, Time start, Time end, std::string_view category,
                              std::string_view name) {
  event('X') << R"("pid":)" << track.process << R"(,"tid":)" << track.thread << R"(,"ts":)";
  microseconds(start);
  text_ << R"(,"dur":)";
  microseconds(end - start);
  text_ << R"(,"cat":")" << category << R"(","name":")" << name << R"(","args":{)";
  first_argument_ = true;
}

void TraceEvents::argument(std::string_view key, int64_t value) {
  text_ << (first_argument_ ? "\"" : ",\"") << key << "\":" << value;
  first_argument_ = false;
}

void TraceEvents::arrow(Arrow phase, uint32_t id, Track track, Time at) {
  event(static_cast<char>(phase)) << (phase == Arrow::ends ? R"("bp":"e",)" : "") << R"("id":)"
                                  << id << R"(,"pid":)" << track.process << R"(,"tid":)"
                                  << track.thread << R"(,"cat":"message","name":"message","ts":)";
  microseconds(at);
  text_ << "}";
}

void TraceEvents::memory(uint32_t process, Time at, Bytes bytes) {
  event('C') << R"("pid":)" << process << R"(,"name":"device memory","ts":)";
  microseconds(at);
  text_ << R"(,"args":{"bytes":)" << bytes.count << "}}";
}

void TraceEvents::account(uint32_t process, std::string_view name, Time at, Time value) {
  event('C') << R"("pid":)" << process << R"(,"name":"account: )" << name << R"(","ts":)";
  microseconds(at);
  text_ << R"(,"args":{"us":)";
  microseconds(value);
  text_ << "}}";
}

void TraceEvents::finish() {
  text_ << "\n]}\n";
  text_.flush();
}

}  // namespace pipewright
