#include <fmt/format.h>

#include "cost/profile.hpp"
#include "cost/written.hpp"
#include "workload/workload_options.hpp"

namespace pipewright {
namespace {

using config::scalar;
using config::Value;

Value map() { return {.kind = Value::Kind::map}; }

Value held_out_value(const std::vector<HeldOutError>& all) {
  Value list{.kind = Value::Kind::list};
  for (const HeldOutError& error : all) {
    Value item = map();
    item.set("points", scalar(error.points));
    item.set("count", config::number(error.count));
    item.set("median", scalar(fmt::format("{:.4f}", error.median)));
    item.set("p90", scalar(fmt::format("{:.4f}", error.p90)));
    item.set("p95", scalar(fmt::format("{:.4f}", error.p95)));
    list.items.push_back(std::move(item));
  }
  return list;
}

Value gemm_value(const GemmProfile& family) {
  const GemmConstants& c = family.model.constants();
  Value value = map();
  value.set("dtype", scalar(name_of(family.model.dtype())));
  value.set("rate", written_number(c.rate));
  value.set("launch", written_time(c.launch_s));
  value.set("memory", written_number(c.tiles.memory_fraction));
  value.set("intensity", written_number(c.tiles.intensity));
  value.set("epilogue", written_number(c.tiles.epilogue));
  value.set("split", written_time(c.tiles.split_s));
  value.set("quantisation", written_number(c.tiles.quantisation));
  value.set("prologue", written_time(c.tiles.prologue_s));
  if (c.cast_bytes > 0) value.set("cast_bytes", written_number(c.cast_bytes));
  value.set("held_out", held_out_value(family.held_out));
  return value;
}

Value attention_value(const AttentionProfile& family) {
  const AttentionConstants& c = family.model.constants();
  Value value = map();
  value.set("dtype", scalar(name_of(family.model.points().dtype)));
  value.set("rate", written_number(c.rate));
  value.set("softmax", written_number(c.softmax));
  value.set("launch", written_time(c.launch_s));
  value.set("longest", written_number(c.longest));
  value.set("tail", written_number(c.tail));
  value.set("memory", written_number(c.memory));
  value.set("held_out", held_out_value(family.held_out));
  return value;
}

Value fused_attention_value(const FusedAttentionProfile& fused) {
  const FusedAttentionConstants& c = fused.constants;
  Value value = map();
  value.set("pass", scalar(fused.gradient ? "gradient" : "forward"));
  value.set("rate", scalar(fmt::format("{:.4g} TFLOP/s", c.rate * 1e-12)));
  value.set("softmax", written_number(c.softmax));
  value.set("edge", written_number(c.edge));
  value.set("tail", written_number(c.tail));
  if (c.bytes > 0) value.set("bytes", written_number(c.bytes));
  if (c.wide != 1) value.set("wide", written_number(c.wide));
  if (c.steady != 1) value.set("steady", written_number(c.steady));
  value.set("longest", written_number(fused.most_tokens));
  value.set("held_out", held_out_value(fused.held_out));
  return value;
}

Value stream_value(const StreamProfile& stream) {
  const StreamConstants& c = stream.constants;
  const auto rate = [](double bytes_per_s) {
    return scalar(fmt::format("{:.4g} GB/s", bytes_per_s * 1e-9));
  };
  const auto size = [](double bytes) {
    return scalar(fmt::format("{} B", static_cast<int64_t>(bytes)));
  };
  Value value = map();
  value.set("kernel", scalar(std::string(stream_name(stream.kernel))));
  value.set("pass", scalar(stream.gradient ? "gradient" : "forward"));
  value.set("latency", written_time(c.latency_s));
  value.set("bandwidth", rate(c.bytes_per_s));
  if (c.cache_bytes > 0) {
    value.set("cached", rate(c.cached_per_s));
    value.set("cache", size(c.cache_bytes));
  }
  value.set("largest", size(stream.most_bytes));
  value.set("held_out", held_out_value(stream.held_out));
  return value;
}

}  // namespace

void set_kernels(config::Value& document, const Profile& profile, const std::string& points) {
  document.set("points", scalar(points));
  if (!profile.gemm.empty()) {
    Value list{.kind = Value::Kind::list};
    for (const GemmProfile& family : profile.gemm) list.items.push_back(gemm_value(family));
    document.set("gemm", std::move(list));
  }
  if (profile.attention) document.set("attention", attention_value(*profile.attention));
  if (!profile.fused_attention.empty()) {
    Value list{.kind = Value::Kind::list};
    for (const FusedAttentionProfile& each : profile.fused_attention)
      list.items.push_back(fused_attention_value(each));
    document.set("fused_attention", std::move(list));
  }
  if (profile.streams.empty()) return;
  Value streams{.kind = Value::Kind::list};
  for (const StreamProfile& stream : profile.streams) streams.items.push_back(stream_value(stream));
  document.set("streams", std::move(streams));
}

std::string points_text(const Profile& profile) {
  std::vector<PointTable> tables;
  for (const GemmProfile& family : profile.gemm) tables.push_back(family.model.points());
  if (profile.attention) tables.push_back(profile.attention->model.points());
  return to_text(tables);
}

}  // namespace pipewright
