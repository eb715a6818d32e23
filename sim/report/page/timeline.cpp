#include "report/page/timeline.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>

#include "base/json.hpp"
#include "program/names.hpp"
#include "report/page/columns.hpp"
#include "report/page/drawn.hpp"
#include "report/page/span_names.hpp"
#include "report/timeline/memory_curve.hpp"
#include "report/timeline/message_ends.hpp"
#include "report/timeline/tracks.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::ordered_json;

/// The least whole unit in which `most` is a 31-bit number.
int64_t unit_for(int64_t most) { return most / INT32_MAX + 1; }

constexpr size_t most_spans = 1'000'000;

int32_t in_units(int64_t value, int64_t unit) { return static_cast<int32_t>(value / unit); }

/// Texts, each kept once.
class TextPool {
 public:
  int32_t index(std::string text) {
    const auto [at, added] =
        index_.try_emplace(std::move(text), static_cast<int32_t>(index_.size()));
    if (added) texts_.push_back(&at->first);
    return at->second;
  }
  Json json() const {
    Json list = Json::array();
    for (const std::string* text : texts_) list.push_back(*text);
    return list;
  }

 private:
  std::unordered_map<std::string, int32_t> index_;
  std::vector<const std::string*> texts_;
};

class TimelineWriter {
 public:
  TimelineWriter(const Run& run, const Drawn& drawn)
      : run_(run), drawn_(drawn), tick_(unit_for(end().ps)) {
    for (const OpId op : run.result.metrics.critical_path.ops) critical_[op] = true;
  }

  std::string text() {
    const Json head = {{"schedule", run_.result.schedule},
                       {"executor", run_.timeline.executor},
                       {"tick_s", static_cast<double>(tick_) * 1e-12},
                       {"last", in_units(end().ps, tick_)},
                       {"capacity_bytes", capacity()},
                       {"ranks", ranks()},
                       {"pipelines", pipelines()},
                       {"kinds", kinds()},
                       {"links", links()},
                       {"lanes", lanes()},
                       {"shown", shown_},
                       {"patterns", has_patterns()},
                       {"names", names_.json()}};
    std::string json = dump_json(head);
    json.pop_back();
    add("start", start_, json);
    add("length", length_, json);
    add("kind", kind_, json);
    add("name", name_, json);
    add("micro", micro_, json);
    add("critical", critical_spans_, json);
    add("messages", messages(), json);
    json += drawn_json(drawn_);
    return json + memory() + '}';
  }

 private:
  static void add(const char* key, const std::vector<int32_t>& values, std::string& json) {
    json += std::string(",\"") + key + "\":" + column_json(values);
  }

  Time end() const {
    Time last;
    for (const Span& span : run_.timeline.spans) last = std::max(last, span.end);
    return last;
  }

  Json capacity() const {
    const std::optional<Bytes> memory = run_.result.fit.device_memory;
    if (!memory) return nullptr;
    return memory->count;
  }

  Json ranks() const {
    Json list = Json::array();
    for (uint32_t rank = 0; rank < run_.program.ranks.size(); ++rank)
      list.push_back(rank_name(run_, rank));
    return list;
  }

  /// The rank of the results that each rank of the timeline is one of.
  Json pipelines() const {
    Json list = Json::array();
    for (const ProgramRank& rank : run_.program.ranks) list.push_back(rank.pipeline);
    return list;
  }

  Json kinds() const {
    Json list = Json::array();
    for (const OpType& type : run_.program.types) {
      list.push_back({{"category", category_of(run_, type)},
                      {"stage", type.stage},
                      {"bytes", type.bytes.count}});
    }
    return list;
  }

  Json links() const {
    Json list = Json::array();
    for (const LinkUse& link : run_.result.links)
      list.push_back(
          {{"name", link.name}, {"bytes", link.bytes}, {"busy_fraction", link.busy_fraction}});
    return list;
  }

  /// Fills the columns as well.
  Json lanes() {
    Json list = Json::array();
    shown_ = run_.program.ranks.size();
    for (const ReportTrack& track : report_tracks(run_)) {
      if (start_.size() >= most_spans) shown_ = std::min<size_t>(shown_, track.rank);
      if (track.rank >= shown_) break;
      list.push_back({{"rank", track.rank}, {"name", track.name}, {"count", track.ops.size()}});
      for (const OpId op : track.ops) add_span(op);
    }
    return list;
  }

  void add_span(OpId id) {
    const Op& op = run_.program.ops[id];
    const Span& span = run_.timeline.spans[id];
    // A collective is on a lane of each of its ranks; messages have ends that are on one.
    if (type_of(id).kind == OpKind::compute) span_of_[id] = static_cast<int32_t>(start_.size());
    if (critical_[id]) critical_spans_.push_back(static_cast<int32_t>(start_.size()));
    start_.push_back(in_units(span.start.ps, tick_));
    length_.push_back(in_units(span.end.ps, tick_) - start_.back());
    kind_.push_back(static_cast<int32_t>(op.type));
    const bool has_micro_batch = !ends_iteration(run_.program.type(id));
    const std::string text = name(run_.program, id);
    name_.push_back(names_.index(
        has_micro_batch && has_patterns() ? name_pattern(text, op.micro_batch) : text));
    micro_.push_back(has_micro_batch ? op.micro_batch : -1);
  }

  /// Labels of traces are texts of their own.
  bool has_patterns() const { return !is_trace(run_) && !is_traffic(run_); }

  const OpType& type_of(OpId id) const { return run_.program.type(id); }

  /// The spans that send, then as many that receive: the passes that made and take a message.
  std::vector<int32_t> messages() const {
    std::vector<int32_t> from, to;
    if (is_trace(run_) || is_traffic(run_)) return from;
    const MessageIndex index(run_.program, run_.timeline);
    for (OpId op = 0; op < run_.program.ops.size(); ++op) {
      if (type_of(op).kind != OpKind::transfer) continue;
      const MessageEnds ends = index.ends(op);
      if (ends.producer == none || ends.consumer == none) continue;
      if (span_of_[ends.producer] < 0 || span_of_[ends.consumer] < 0) continue;
      from.push_back(span_of_[ends.producer]);
      to.push_back(span_of_[ends.consumer]);
    }
    from.insert(from.end(), to.begin(), to.end());
    return from;
  }

  std::string memory() const {
    const RankOps ops(run_.program);
    std::vector<std::vector<Held>> curves;
    int64_t most = 0;
    for (uint32_t rank = 0; rank < shown_; ++rank) {
      curves.push_back(memory_curve(run_, ops, rank));
      for (const Held& held : curves.back()) most = std::max(most, held.bytes.count);
    }
    const int64_t unit = unit_for(most);
    std::string json = ",\"memory_unit_bytes\":" + std::to_string(unit) + ",\"memory\":[";
    for (uint32_t rank = 0; rank < curves.size(); ++rank)
      if (!curves[rank].empty()) json += curve_json(rank, curves[rank], unit) + ',';
    if (json.back() == ',') json.pop_back();
    return json + ']';
  }

  std::string curve_json(uint32_t rank, const std::vector<Held>& curve, int64_t unit) const {
    std::vector<int32_t> from, held;
    for (const Held& h : curve) {
      from.push_back(in_units(h.from.ps, tick_));
      held.push_back(in_units(h.bytes.count, unit));
    }
    return "{\"rank\":" + std::to_string(rank) + ",\"from\":" + column_json(from) +
           ",\"held\":" + column_json(held) + '}';
  }

  const Run& run_;
  const Drawn& drawn_;
  int64_t tick_;
  std::vector<bool> critical_ = std::vector<bool>(run_.program.ops.size());
  size_t shown_ = 0;  // ranks
  std::vector<int32_t> span_of_ = std::vector<int32_t>(run_.program.ops.size(), -1);
  TextPool names_;
  std::vector<int32_t> start_, length_, kind_, name_, micro_, critical_spans_;
};

}  // namespace

std::string timeline_json(const Run& run, const Drawn& drawn) {
  return TimelineWriter(run, drawn).text();
}

}  // namespace pipewright
