#include "interop/chakra_file.hpp"

#include <fmt/format.h>
#include <google/protobuf/io/coded_stream.h>

#include "chakra.pb.h"

namespace pipewright::chakra {
namespace {

using google::protobuf::io::CodedInputStream;

constexpr int64_t most_nanoseconds = INT64_MAX / 1000;  // the clock counts picoseconds
constexpr uint64_t most_micros = most_nanoseconds / 1000;

[[noreturn]] void fail(const std::string& file, const std::string& message) {
  throw InputError({file, 0, 0}, message);
}

/// An integer of any width; empty for what is none.
std::optional<int64_t> integer(const wire::Attribute& a) {
  switch (a.value_case()) {
    case wire::Attribute::kInt32Value:
      return a.int32_value();
    case wire::Attribute::kInt64Value:
      return a.int64_value();
    case wire::Attribute::kUint32Value:
      return a.uint32_value();
    case wire::Attribute::kUint64Value:
      return static_cast<int64_t>(a.uint64_value());
    case wire::Attribute::kSint32Value:
      return a.sint32_value();
    case wire::Attribute::kSint64Value:
      return a.sint64_value();
    case wire::Attribute::kFixed32Value:
      return a.fixed32_value();
    case wire::Attribute::kFixed64Value:
      return static_cast<int64_t>(a.fixed64_value());
    case wire::Attribute::kSfixed32Value:
      return a.sfixed32_value();
    case wire::Attribute::kSfixed64Value:
      return a.sfixed64_value();
    case wire::Attribute::kBoolValue:
      return a.bool_value();
    default:
      return std::nullopt;
  }
}

double number(const wire::Attribute& a) {
  if (a.value_case() == wire::Attribute::kDoubleValue) return a.double_value();
  if (a.value_case() == wire::Attribute::kFloatValue) return a.float_value();
  return static_cast<double>(integer(a).value_or(0));
}

class NodeReading {
 public:
  NodeReading(const wire::Node& from, const std::string& file) : from_(from), file_(file) {}

  Node run() {
    node_.id = from_.id();
    node_.type = static_cast<NodeType>(from_.type());
    node_.inputs = from_.inputs().values();
    node_.after.assign(from_.data_dependencies().begin(), from_.data_dependencies().end());
    node_.after.insert(node_.after.end(), from_.control_dependencies().begin(),
                       from_.control_dependencies().end());
    if (from_.duration_micros() > most_micros) refuse("lasts longer than the clock counts");
    if (from_.duration_micros() > 0)
      node_.nanoseconds = static_cast<int64_t>(from_.duration_micros()) * 1000;
    for (const wire::Attribute& attribute : from_.attributes()) take(attribute);
    return std::move(node_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    fail(file_, fmt::format("node {} {}", from_.id(), what));
  }

  void take(const wire::Attribute& a) {
    const std::string& name = a.name();
    if (name == "duration_ns") node_.nanoseconds = whole(a, most_nanoseconds);
    if (name == "is_cpu_op") node_.is_cpu_op = integer(a).value_or(0) != 0;
    if (name == "stream") node_.stream = whole(a, INT64_MAX);
    if (name == "comm_type") node_.comm_type = whole(a, INT64_MAX);
    if (name == "comm_size") node_.comm_size = whole(a, INT64_MAX);
    if (name == "comm_src") node_.comm_src = whole(a, goal::most_ranks);
    if (name == "comm_dst") node_.comm_dst = whole(a, goal::most_ranks);
    if (name == "comm_tag") node_.comm_tag = whole(a, UINT32_MAX);
    if (name == "num_ops") node_.operations = number(a);
    if (name == "tensor_size") node_.bytes = number(a);
    if (name != "pg_name") return;
    const std::optional<int64_t> value = integer(a);
    node_.group = value ? std::to_string(*value) : a.string_value();
  }

  int64_t whole(const wire::Attribute& a, int64_t most) const {
    const std::optional<int64_t> value = integer(a);
    if (value && *value >= 0 && *value <= most) return *value;
    refuse(value ? fmt::format("has the {} {}, which must be from 0 to {}", a.name(), *value, most)
                 : fmt::format("has a {} that is no whole number", a.name()));
  }

  const wire::Node& from_;
  const std::string& file_;
  Node node_;
};

/// A file as messages, each after its length.
class Messages {
 public:
  Messages(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  /// Reads the next message; false at the end of the file.
  template <class Message>
  bool next(Message& message) {
    if (at_ == bytes_.size()) return false;
    begin_ = at_;
    ++number_;
    at_ += length_here();
    const std::string_view text = bytes_.substr(at_, length_);
    at_ += text.size();
    if (text.size() < length_)
      refuse(fmt::format("is cut short: it should have {} bytes, not {}", length_, text.size()));
    if (!message.ParseFromArray(text.data(), static_cast<int>(text.size())))
      refuse("is not of a Chakra trace (protobuf messages, each after its length)");
    return true;
  }

 private:
  /// Reads length_; how many bytes that took.
  size_t length_here() {
    const std::string_view rest = bytes_.substr(at_, 10);
    CodedInputStream in(reinterpret_cast<const uint8_t*>(rest.data()),
                        static_cast<int>(rest.size()));
    if (!in.ReadVarint32(&length_)) refuse("is cut short");
    return static_cast<size_t>(in.CurrentPosition());
  }

  [[noreturn]] void refuse(const std::string& what) const {
    fail(file_, fmt::format("message {}, at byte {}, {}", number_, begin_, what));
  }

  std::string_view bytes_;
  const std::string& file_;
  size_t at_ = 0, begin_ = 0, number_ = 0;
  uint32_t length_ = 0;
};

void check_version(const wire::Metadata& metadata, const std::string& file) {
  const std::string& is = metadata.version();
  if (is.empty() || is == version || is.ends_with(std::string("-chakra.") + version)) return;
  fail(file, fmt::format("a Chakra trace of version '{}', but only {} is known", is, version));
}

}  // namespace

std::vector<Node> read_nodes(const std::string& contents, const std::string& file) {
  if (contents.starts_with("\x1f\x8b")) fail(file, "is compressed: gunzip it first");
  if (contents.empty()) fail(file, "is empty: a Chakra trace begins with its metadata");
  Messages messages(contents, file);
  wire::Metadata metadata;
  messages.next(metadata);
  check_version(metadata, file);
  std::vector<Node> nodes;
  for (wire::Node node; messages.next(node);) nodes.push_back(NodeReading(node, file).run());
  return nodes;
}

}  // namespace pipewright::chakra
