#include "interop/torch_event.hpp"

#include <nlohmann/json.hpp>

#include "interop/words.hpp"

namespace pipewright::interop {
namespace {

using Json = nlohmann::json;

/// Takes the members of an event as the parser comes by them.
class Members {
 public:
  explicit Members(TorchEvent& event) : event_(event) {}

  bool null() { return done(); }
  bool boolean(bool) { return done(); }
  bool number_integer(int64_t value) {
    if (time_) *time_ = static_cast<double>(value);
    if (whole_) *whole_ = value;
    return done();
  }
  bool number_unsigned(uint64_t value) {
    if (time_) *time_ = static_cast<double>(value);
    if (whole_) *whole_ = static_cast<int64_t>(value);
    return done();
  }
  bool number_float(double value, const std::string&) {
    if (time_) *time_ = value;
    return done();
  }
  bool string(std::string& value) {
    if (text_) *text_ = value;
    if (whole_) *whole_ = number_of<int64_t>(value);
    return done();
  }
  bool binary(Json::binary_t&) { return done(); }
  bool start_object(size_t) {
    ++depth_;
    within_arguments_ = within_arguments_ || begins_arguments_;
    return done();
  }
  bool end_object() {
    --depth_;
    if (depth_ == 1) within_arguments_ = false;
    return done();
  }
  bool start_array(size_t) {
    ++depth_;
    return done();
  }
  bool end_array() {
    --depth_;
    return done();
  }
  bool key(std::string& name) {
    if (depth_ == 1) find_own(name);
    if (depth_ == 2 && within_arguments_) find_argument(name);
    return true;
  }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) { return false; }

 private:
  /// A value was taken: the next one is of another key.
  bool done() {
    text_ = nullptr;
    time_ = nullptr;
    whole_ = nullptr;
    begins_arguments_ = false;
    return true;
  }

  void find_own(const std::string& name) {
    if (name == "ph") text_ = &event_.phase;
    if (name == "name") text_ = &event_.name;
    if (name == "ts") time_ = &event_.start_us;
    if (name == "dur") time_ = &event_.length_us;
    if (name == "tid") whole_ = &event_.row;
    begins_arguments_ = name == "args";
  }

  void find_argument(const std::string& name) {
    if (name == "correlation") whole_ = &event_.correlation;
    if (name == "stream") whole_ = &event_.stream;
    if (name == "Collective name") event_.names_collective = true;
  }

  TorchEvent& event_;
  int depth_ = 0;
  bool begins_arguments_ = false, within_arguments_ = false;
  // Where the value of the key before it goes; null: nobody asks for it.
  std::string* text_ = nullptr;
  std::optional<double>* time_ = nullptr;
  std::optional<int64_t>* whole_ = nullptr;
};

}  // namespace

bool TorchEvent::read(std::string_view text) {
  *this = {};
  Members members(*this);
  return Json::sax_parse(text, &members);
}

}  // namespace pipewright::interop
