#include "interop/plain_pickle.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <vector>

#include "base/error.hpp"
#include "base/json.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::json;

/// Of all that is made, kept and handed out again: a value that is shared is copied each time.
constexpr size_t most_values = size_t{1} << 24;
/// A text counts once for each so many of its bytes, about what another value takes.
constexpr size_t bytes_of_value = 16;
constexpr size_t deepest_nesting = 64;
constexpr char protocol = '\x80';

size_t values_in(const Json& value) {
  size_t count = 1;
  if (value.is_string()) count += value.get_ref<const std::string&>().size() / bytes_of_value;
  if (value.is_structured())
    for (const Json& item : value) count += values_in(item);
  return count;
}

size_t nesting_of(const Json& value) {
  size_t deepest_item = 0;
  if (value.is_structured())
    for (const Json& item : value) deepest_item = std::max(deepest_item, nesting_of(item));
  return 1 + deepest_item;
}

class Machine {
 public:
  Machine(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  Json run() {
    while (true) {
      const char op = take(1)[0];
      if (op == '.') return pop();
      if (!make_value(op) && !make_list(op) && !remember(op)) refuse(op);
      if (stack_.size() > most_values) fail("holds too much");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError({file_, 0, 0}, message);
  }
  [[noreturn]] void refuse(char op) const {
    fail(fmt::format(
        "is a pickle that holds more than data (byte {}: instruction 0x{:02x}); its functions are "
        "not called",
        at_ - 1, static_cast<unsigned char>(op)));
  }

  std::string_view take(size_t count) {
    if (count > bytes_.size() - at_) fail("this pickle is cut off");
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }

  /// A number of `count` bytes, the lowest first.
  uint64_t number(size_t count) {
    uint64_t value = 0;
    const std::string_view bytes = take(count);
    for (size_t i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
  }

  Json signed_number(size_t count) {
    if (count == 0) return 0;
    if (count > 8) fail("has an integer of more than 64 bits");
    const uint64_t value = number(count);
    const auto unused = static_cast<int>(8 * (8 - count));
    return std::bit_cast<int64_t>(value << unused) >> unused;
  }

  double big_endian_double() {
    uint64_t value = 0;
    for (const char c : take(8)) value = value << 8 | static_cast<unsigned char>(c);
    return std::bit_cast<double>(value);
  }

  void push(Json value) { stack_.push_back(std::move(value)); }
  Json pop() {
    if (stack_.empty()) fail("this pickle takes more values than it makes");
    Json value = std::move(stack_.back());
    stack_.pop_back();
    return value;
  }

  /// One of the instructions that put a value of their own on the stack.
  bool make_value(char op) {
    switch (op) {
      case 'N':
        return push(nullptr), true;
      case '\x88':
        return push(true), true;
      case '\x89':
        return push(false), true;
      case 'J':
        return push(signed_number(4)), true;
      case 'K':
        return push(number(1)), true;
      case 'M':
        return push(number(2)), true;
      case '\x8a':
        return push(signed_number(number(1))), true;
      case 'G':
        return push(big_endian_double()), true;
      case 'X':
        return push(std::string(take(number(4)))), true;
      case '\x8c':
        return push(std::string(take(number(1)))), true;
      case '\x8d':
        return push(std::string(take(number(8)))), true;
      case ']':
      case ')':
        return push(Json::array()), true;
      case '}':
        return push(Json::object()), true;
      default:
        return false;
    }
  }

  /// One of those that put several values together.
  bool make_list(char op) {
    switch (op) {
      case '(':
        return marks_.push_back(stack_.size()), true;
      case 't':
      case 'l':
        return push(since_mark()), true;
      case '\x85':
      case '\x86':
      case '\x87':
        return push(last(static_cast<size_t>(op - '\x84'))), true;
      case 'a':
        return append(last(1)), true;
      case 'e':
        return append(since_mark()), true;
      case 's':
        return set(last(2)), true;
      case 'u':
        return set(since_mark()), true;
      default:
        return false;
    }
  }

  /// The memo, and what means nothing to data.
  bool remember(char op) {
    switch (op) {
      case protocol:
        return take(1), true;
      case '\x95':
        return take(8), true;
      case 'q':
        return keep(number(1)), true;
      case 'r':
        return keep(number(4)), true;
      case '\x94':
        return keep(memo_.size()), true;
      case 'h':
        return recall(number(1)), true;
      case 'j':
        return recall(number(4)), true;
      default:
        return false;
    }
  }

  Json last(size_t count) {
    if (count > stack_.size()) fail("this pickle takes more values than it makes");
    const auto first = stack_.end() - static_cast<ptrdiff_t>(count);
    Json all = Json::array();
    for (auto one = first; one != stack_.end(); ++one) all.push_back(std::move(*one));
    stack_.erase(first, stack_.end());
    if (nesting_of(all) > deepest_nesting) fail("is nested too deeply");
    return all;
  }

  Json since_mark() {
    if (marks_.empty() || marks_.back() > stack_.size()) fail("this pickle has a mark too few");
    const size_t mark = marks_.back();
    marks_.pop_back();
    return last(stack_.size() - mark);
  }

  Json& top(bool holds) {
    if (!holds) fail("this pickle fills what is neither a list nor a dictionary");
    return stack_.back();
  }

  void append(Json items) {
    Json& list = top(!stack_.empty() && stack_.back().is_array());
    for (Json& item : items) list.push_back(std::move(item));
  }

  void set(Json items) {
    Json& map = top(!stack_.empty() && stack_.back().is_object() && items.size() % 2 == 0);
    for (size_t i = 0; i < items.size(); i += 2) {
      const Json& key = items[i];
      map[key.is_string() ? key.get<std::string>() : dump_json(key)] = std::move(items[i + 1]);
    }
  }

  void count(const Json& value) {
    copied_ += values_in(value);
    if (copied_ > most_values) fail("holds too much");
  }

  /// Python keeps a container before it is filled, PyTorch after that. One that is still empty
  /// would be handed out as such.
  void keep(size_t place) {
    if (stack_.empty()) fail("this pickle keeps a value that it has not made");
    const Json& value = stack_.back();
    count(value);
    memo_[place] = value.is_structured() && value.empty() ? Json(Json::value_t::discarded) : value;
  }

  void recall(size_t place) {
    const auto found = memo_.find(place);
    if (found == memo_.end()) fail("this pickle asks for a value that it has not kept");
    if (found->second.is_discarded())
      fail("this pickle shares a list or a dictionary between several places: write it as JSON");
    count(found->second);
    push(found->second);
  }

  std::string_view bytes_;
  const std::string& file_;
  size_t at_ = 0, copied_ = 0;
  std::vector<Json> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint64_t, Json> memo_;
};

}  // namespace

Json read_plain_pickle(std::string_view bytes, const std::string& file) {
  return Machine(bytes, file).run();
}

bool is_pickle(std::string_view head) { return head.size() > 1 && head[0] == protocol; }

}  // namespace pipewright
