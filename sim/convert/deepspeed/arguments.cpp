#include "convert/deepspeed/arguments.hpp"

#include <algorithm>
#include <memory>

namespace pipewright::deepspeed {
namespace {

using config::Value;

class ArgumentReader {
 public:
  Arguments run(const std::vector<job::Word>& words) {
    out_.map.kind = Value::Kind::map;
    for (const job::Word& word : words)
      if (word.text.starts_with("--"))
        start(word);
      else if (!name_.empty())
        add(word, word.text);
    close();
    return std::move(out_);
  }

 private:
  Value scalar_of(const job::Word& word, std::string_view text) {
    if (!file_ || *file_ != word.where.file)
      file_ = std::make_shared<const std::string>(word.where.file);
    return config::scalar(text, {file_, word.where.line, word.where.column});
  }

  void start(const job::Word& word) {
    close();
    const size_t equals = word.text.find('=');
    name_ = word.text.substr(2, equals == std::string::npos ? equals : equals - 2);
    std::replace(name_.begin(), name_.end(), '-', '_');
    out_.unknown.erase(name_);
    flag_ = scalar_of(word, "true");
    if (equals != std::string::npos) add(word, word.text.substr(equals + 1));
  }

  void add(const job::Word& word, const std::string& text) {
    values_.push_back(scalar_of(word, text));
    if (word.unknown) out_.unknown[name_] = word;
  }

  void close() {
    if (name_.empty()) return;
    Value value = values_.empty() ? flag_ : values_.front();
    if (values_.size() > 1) {
      value = {};
      value.kind = Value::Kind::list;
      value.mark = flag_.mark;
      value.items = values_;
    }
    out_.map.set(name_, std::move(value));
    values_.clear();
    name_.clear();
  }

  Arguments out_;
  std::shared_ptr<const std::string> file_;
  Value flag_;
  std::string name_;
  std::vector<Value> values_;
};

}  // namespace

Arguments read_arguments(const std::vector<job::Word>& words) {
  return ArgumentReader().run(words);
}

}  // namespace pipewright::deepspeed
