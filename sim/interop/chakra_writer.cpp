#include "interop/chakra_writer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <map>

#include "base/error.hpp"
#include "chakra.pb.h"
#include "interop/chakra.hpp"

namespace pipewright::chakra {
namespace {

CommType type_of(CollectiveKind kind) {
  switch (kind) {
    case CollectiveKind::all_reduce:
      return CommType::all_reduce;
    case CollectiveKind::all_gather:
      return CommType::all_gather;
    case CollectiveKind::reduce_scatter:
      return CommType::reduce_scatter;
    case CollectiveKind::all_to_all:
      return CommType::all_to_all;
    case CollectiveKind::broadcast:
      return CommType::broadcast;
    case CollectiveKind::reduce:
      return CommType::reduce;
    case CollectiveKind::shift:
      break;
  }
  abort_with("Chakra has no shift: messages stand for it");
}

wire::Attribute& add(wire::Node& node, const char* name) {
  wire::Attribute& attribute = *node.add_attributes();
  attribute.set_name(name);
  return attribute;
}

void append(const google::protobuf::MessageLite& message, std::string& contents) {
  google::protobuf::io::StringOutputStream stream(&contents);
  google::protobuf::io::CodedOutputStream out(&stream);
  out.WriteVarint32(static_cast<uint32_t>(message.ByteSizeLong()));
  message.SerializeToCodedStream(&out);
}

constexpr uint64_t groups_id = 0;  ///< of the node that describes groups; others count from 1

}  // namespace

struct Writer::Nodes {
  std::vector<wire::Node> ops;
  std::map<uint32_t, std::vector<int32_t>> groups;

  wire::Node& add_node(NodeType type, std::string name) {
    wire::Node& node = ops.emplace_back();
    node.set_id(ops.size());
    node.set_type(static_cast<int>(type));
    node.set_name(std::move(name));
    add(node, "is_cpu_op").set_bool_value(false);
    return node;
  }
  uint32_t last() const { return static_cast<uint32_t>(ops.size() - 1); }

  uint32_t add_message(NodeType type, const char* verb, uint32_t from, uint32_t to, int64_t bytes,
                       uint32_t tag) {
    const bool sends = type == NodeType::comm_send;
    wire::Node& node = add_node(type, fmt::format("{} {}", verb, sends ? to : from));
    add(node, "comm_src").set_int32_value(static_cast<int32_t>(from));
    add(node, "comm_dst").set_int32_value(static_cast<int32_t>(to));
    add(node, "comm_size").set_int64_value(bytes);
    add(node, "comm_tag").set_int32_value(static_cast<int32_t>(tag));
    return last();
  }

  /// A string in a list, as Python prints one: what PyTorch's traces have.
  wire::Node description() const {
    std::string list;
    for (const auto& [group, members] : groups) {
      list += fmt::format("{}{{\"pg_name\": \"{}\", \"ranks\": [{}]}}", list.empty() ? "" : ", ",
                          group, fmt::join(members, ", "));
    }
    wire::Node node;
    node.set_id(groups_id);
    node.set_type(static_cast<int>(NodeType::metadata));
    node.set_name("process groups");
    node.mutable_inputs()->set_values("['[" + list + "]']");
    return node;
  }
};

Writer::Writer(Sink sink) : sink_(std::move(sink)) {}
Writer::~Writer() = default;

void Writer::begin_rank(uint32_t rank) {
  rank_ = rank;
  nodes_ = std::make_unique<Nodes>();
}

void Writer::end_rank() {
  std::string contents;
  wire::Metadata metadata;
  metadata.set_version(version);
  append(metadata, contents);
  if (!nodes_->groups.empty()) append(nodes_->description(), contents);
  for (const wire::Node& node : nodes_->ops) append(node, contents);
  sink_(rank_, contents);
  nodes_.reset();
}

uint32_t Writer::calc(const Calculation& what) {
  wire::Node& node = nodes_->add_node(NodeType::comp, what.name);
  node.set_duration_micros(static_cast<uint64_t>((what.nanoseconds + 500) / 1000));
  add(node, "duration_ns").set_int64_value(what.nanoseconds);
  add(node, "num_ops").set_int64_value(static_cast<int64_t>(what.flops));
  add(node, "tensor_size").set_uint64_value(static_cast<uint64_t>(what.bytes));
  add(node, "stream").set_int64_value(what.cpu);
  return nodes_->last();
}

uint32_t Writer::send(int64_t bytes, uint32_t to, uint32_t tag, int) {
  return nodes_->add_message(NodeType::comm_send, "send to", rank_, to, bytes, tag);
}

uint32_t Writer::recv(int64_t bytes, uint32_t from, uint32_t tag, int) {
  return nodes_->add_message(NodeType::comm_recv, "receive from", from, rank_, bytes, tag);
}

uint32_t Writer::collective(CollectiveKind kind, Bytes bytes, uint32_t group,
                            std::span<const int32_t> members) {
  nodes_->groups.try_emplace(group, members.begin(), members.end());
  const CommType type = type_of(kind);
  wire::Node& node =
      nodes_->add_node(NodeType::comm_coll, fmt::format("collective of group {}", group));
  node.add_data_dependencies(groups_id);
  const auto parts = static_cast<int64_t>(kind == CollectiveKind::all_gather ? members.size() : 1);
  add(node, "comm_type").set_int64_value(static_cast<int64_t>(type));
  add(node, "comm_size").set_int64_value(bytes.count / parts);
  add(node, "pg_name").set_string_value(std::to_string(group));
  return nodes_->last();
}

void Writer::requires_end(uint32_t op, uint32_t on) {
  nodes_->ops[op].add_data_dependencies(nodes_->ops[on].id());
}

}  // namespace pipewright::chakra
