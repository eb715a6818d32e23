// Functions that Python has without an import, and methods of texts, lists and dictionaries.
#pragma once

#include "interop/python/program.hpp"

namespace pipewright::interop::python {

/// Returns what `call` gives where it is a function of Python's own, such as int and
/// dataclasses.replace; nothing for others.
std::optional<Value> builtin(const Call& call, Heap& heap);

/// Tells whether `name` is a type of Python's own, such as str.
bool is_type(std::string_view name);

/// Tells whether `value` is of the type `kind`, or of one of a tuple of them; nothing where that is
/// not known.
std::optional<bool> is_instance(const Value& value, const Value& kind);

/// Returns what `call` gives where it goes over a list, such as sum and zip; nothing for others.
std::optional<Value> sequence_builtin(const Call& call, Heap& heap);

/// Returns what the method `name` of `base` gives, or nothing where that is not known. A list or a
/// dictionary of which then nothing is known forgets what it has.
std::optional<Value> method_of(const Value& base, std::string_view name, const Call& call,
                               Heap& heap);

/// Returns a copy of an object, or of a list, without what is below it, as copy.copy does.
Value copied(const Value& value, Heap& heap);

/// Returns a copy of a value and of all that is below it, as copy.deepcopy does.
Value copied_whole(const Value& value, Heap& heap);

}  // namespace pipewright::interop::python
