#include "python/document.hpp"

#include <fmt/format.h>

namespace pipewright::python {
namespace {

namespace py = pybind11;
using config::Value;

constexpr int deepest = 64;  // as in a file

class Reader {
 public:
  Value read(py::handle object, const std::string& path) {
    const config::Mark mark{std::make_shared<const std::string>(path), 0, 0};
    if (++depth_ > deepest) throw InputError(mark.where(), "nested too deeply");
    Value value = read_at(object, path, mark);
    value.mark = mark;
    --depth_;
    return value;
  }

 private:
  Value read_at(py::handle object, const std::string& path, const config::Mark& mark) {
    if (object.is_none()) return {};
    if (py::isinstance<py::bool_>(object))
      return config::scalar(object.cast<bool>() ? "true" : "false");
    if (py::isinstance<py::str>(object)) return config::scalar(object.cast<std::string>());
    if (py::isinstance<py::int_>(object) || py::isinstance<py::float_>(object))
      return config::scalar(py::cast<std::string>(py::repr(object)));
    if (py::isinstance<py::dict>(object))
      return map_of(py::reinterpret_borrow<py::dict>(object), path, mark);
    if (py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object) ||
        PyRange_Check(object.ptr()))
      return list_of(py::reinterpret_borrow<py::sequence>(object), path);
    if (py::hasattr(object, "__fspath__"))
      return config::scalar(object.attr("__fspath__")().cast<std::string>());
    for (const char* plain : {"tolist", "to_dict"})  // NumPy's numbers and arrays; results
      if (py::hasattr(object, plain)) return read(object.attr(plain)(), path);
    throw InputError(
        mark.where(),
        fmt::format("a {} is neither a dict, a list, a text nor a number",
                    py::str(py::type::of(object).attr("__name__")).cast<std::string>()));
  }

  Value map_of(const py::dict& dict, const std::string& path, const config::Mark& mark) {
    Value map;
    map.kind = Value::Kind::map;
    for (const auto& [key, item] : dict) {
      if (!py::isinstance<py::str>(key))
        throw InputError(mark.where(),
                         fmt::format("the key {} is no text", py::repr(key).cast<std::string>()));
      const auto name = key.cast<std::string>();
      const std::string below = path + "." + name;
      Value item_value = read(item, below);
      const config::Mark mark_below = item_value.mark;
      map.set(name, std::move(item_value));
      map.entries.back().mark = mark_below;
    }
    return map;
  }

  Value list_of(const py::sequence& sequence, const std::string& path) {
    Value list;
    list.kind = Value::Kind::list;
    for (size_t i = 0; i < sequence.size(); ++i)
      list.items.push_back(read(sequence[i], fmt::format("{}.{}", path, i)));
    return list;
  }

  int depth_ = 0;
};

}  // namespace

Value document_of(const py::handle& object, const std::string& name) {
  if (py::isinstance<py::str>(object)) return config::parse(object.cast<std::string>(), name);
  return Reader().read(object, name);
}

}  // namespace pipewright::python
