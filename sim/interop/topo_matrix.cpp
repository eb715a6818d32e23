#include "interop/topo_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "interop/topo_words.hpp"

namespace pipewright::interop {
namespace {

constexpr size_t most_things = 256;

/// The words of a header that name columns of paths; those of affinity follow.
size_t count_labels(const std::vector<std::string_view>& words) {
  const auto end = std::find_if(words.begin(), words.end(), [](std::string_view word) {
    return word == "CPU" || word == "NUMA";
  });
  return static_cast<size_t>(end - words.begin());
}

class Lines {
 public:
  explicit Lines(std::string_view text) {
    while (!text.empty()) lines_.push_back(take_line(text));
  }
  size_t size() const { return lines_.size(); }
  std::string_view line(size_t number) const { return lines_[number]; }
  std::vector<std::string_view> words(size_t number) const { return words_of(lines_[number]); }

  /// The next line with words from `number` on.
  size_t next(size_t number) const {
    while (number < size() && words(number).empty()) ++number;
    return number;
  }

  /// A header begins with a GPU, and the line below with the same one and its X, or with a path.
  std::optional<size_t> header() const {
    for (size_t number = 0; number < size(); ++number) {
      const auto above = words(number);
      if (above.empty() || !is_gpu(above[0]) || (above.size() > 1 && path_of(above[1]))) continue;
      const size_t below = next(number + 1);
      if (below == size()) continue;
      const auto row = words(below);
      if (row.size() > 1 && row[0] == above[0] && row[1] == "X") return number;
    }
    return std::nullopt;
  }

 private:
  std::vector<std::string_view> lines_;
};

class Reading {
 public:
  Reading(std::string_view text, const std::string& file) : lines_(text), file_(file) {}

  TopoMatrix run() {
    const auto header = lines_.header();
    if (!header)
      throw InputError(
          {file_, 0, 0},
          "no matrix of 'nvidia-smi topo -m': it begins with a line of GPU0, GPU1, ...");
    read_header(*header);
    size_t number = *header;
    for (size_t row = 0; row < matrix_.things.size(); ++row) {
      number = lines_.next(number + 1);
      read_row(row, number);
    }
    check_symmetry();
    for (++number; number < lines_.size(); ++number) read_legend(lines_.words(number));
    return std::move(matrix_);
  }

 private:
  [[noreturn]] void fail(size_t number, std::string_view word, const std::string& message) const {
    const int column =
        word.data() ? static_cast<int>(word.data() - lines_.line(number).data()) + 1 : 0;
    throw InputError({file_, static_cast<int>(number) + 1, column}, message);
  }

  void read_header(size_t number) {
    const auto words = lines_.words(number);
    const size_t count = count_labels(words);
    if (count > most_things)
      fail(number, words[most_things],
           fmt::format("{} GPUs and NICs are more than a node has ({})", count, most_things));
    for (size_t at = 0; at < count; ++at) {
      if (!is_name(words[at]))
        fail(number, words[at], "a name in the header that is not of printable characters");
      for (const TopoThing& thing : matrix_.things)
        if (thing.label == words[at])
          fail(number, words[at], fmt::format("'{}' stands twice in the header", words[at]));
      const std::string label(words[at]);
      matrix_.things.push_back({.label = label, .name = label, .gpu = is_gpu(label)});
    }
    const auto numa = std::find(words.begin() + static_cast<ptrdiff_t>(count), words.end(), "NUMA");
    says_gpu_numa_ = words.back() == "ID";
    says_numa_ = numa != words.end() && numa + 1 != words.end() && numa[1] == "Affinity";
  }

  void read_row(size_t row, size_t number) {
    TopoThing& thing = matrix_.things[row];
    const size_t count = matrix_.things.size();
    if (number == lines_.size())
      fail(number - 1, {}, fmt::format("the matrix ends before the row of {}", thing.label));
    const auto words = lines_.words(number);
    if (words[0] != thing.label)
      fail(number, words[0], fmt::format("'{}' where the row of {} is due", words[0], thing.label));
    std::vector<TopoPath>& paths = matrix_.paths.emplace_back();
    for (size_t at = 1; at <= count; ++at) {
      if (at == words.size())
        fail(number, words[at - 1],
             fmt::format("the row of {} has {} paths, the header {} GPUs and NICs", thing.label,
                         at - 1, count));
      paths.push_back(read_path(number, words[at], at == row + 1));
    }
    const char* const end = words[count].data() + words[count].size();
    const std::string_view line = lines_.line(number);
    read_affinity(thing, line.substr(static_cast<size_t>(end - line.data())));
    at_.push_back(number);
  }

  /// Between tabs a column may be empty.
  void read_affinity(TopoThing& thing, std::string_view rest) const {
    const auto words = words_of(rest);
    thing.own_numa =
        thing.gpu && says_gpu_numa_ && !words.empty() && number_of<unsigned>(words.back());
    const bool tabs = rest.find('\t') != std::string_view::npos;
    auto columns = tabs ? split(rest, "\t", true) : words;
    if (tabs) columns.erase(columns.begin());
    if (!columns.empty()) thing.cpus = columns[0];
    if (columns.size() > 1 && says_numa_) thing.numa = columns[1];
  }

  TopoPath read_path(size_t number, std::string_view word, bool self) const {
    const auto path = path_of(word);
    if (!path)
      fail(
          number, word,
          fmt::format("'{}' is no path of 'nvidia-smi topo -m': X, NV#, PIX, PXB, PHB, NODE or SYS",
                      word));
    if ((path->kind == PathKind::self) != self)
      fail(number, word,
           self ? fmt::format("'{}' where the X of the diagonal is due", word)
                : std::string("an X off the diagonal"));
    return *path;
  }

  void check_symmetry() const {
    const auto& things = matrix_.things;
    for (size_t row = 0; row < things.size(); ++row)
      for (size_t column = 0; column < row; ++column)
        if (matrix_.paths[row][column] != matrix_.paths[column][row])
          fail(at_[row], lines_.words(at_[row])[column + 1],
               fmt::format("the path of {} to {} is not that of {} to {}", things[row].label,
                           things[column].label, things[column].label, things[row].label));
  }

  void read_legend(const std::vector<std::string_view>& words) {
    if (words.size() != 2 || !words[0].ends_with(':') || !is_name(words[1])) return;
    for (TopoThing& thing : matrix_.things)
      if (!thing.gpu && thing.label == words[0].substr(0, words[0].size() - 1))
        thing.name = words[1];
  }

  Lines lines_;
  const std::string& file_;
  TopoMatrix matrix_;
  bool says_numa_ = false, says_gpu_numa_ = false;
  std::vector<size_t> at_;  // the line of each row
};

}  // namespace

bool has_topo_matrix(std::string_view text) {
  const std::string plain = without_escapes(text);
  return Lines(plain).header().has_value();
}

TopoMatrix read_topo_matrix(std::string_view text, const std::string& file) {
  const std::string plain = without_escapes(text);
  return Reading(plain, file).run();
}

}  // namespace pipewright::interop
