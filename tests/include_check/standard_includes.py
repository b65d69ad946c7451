#!/usr/bin/python3
"""Checks that each source file sees the standard headers of the names that it uses.

    standard_includes.py ROOT        prints one `file:line: reason` per violation; exit code 1 if there is one

A file sees the headers that it includes and those of the files of this repository that it includes, not those that
another standard header happens to include. each_alone.py relies on this: it reads all standard headers once.
"""

import pathlib
import re
import sys

import include_check

# Names by header; the first header of a name is the one that is asked for.
NAMES = {
    "algorithm": "any_of all_of none_of sort stable_sort find find_if count count_if copy_n copy_if fill fill_n "
                 "transform equal replace replace_if unique is_sorted lower_bound binary_search remove_if reverse rotate "
                 "max_element min_element minmax_element nth_element partial_sort partition_point stable_partition "
                 "set_union set_intersection lexicographical_compare next_permutation adjacent_find for_each clamp "
                 "shuffle max min",
    "array": "array to_array",
    "atomic": "atomic memory_order_relaxed memory_order_acquire memory_order_release memory_order_acq_rel",
    "bit": "bit_cast rotl popcount countr_zero bit_width endian",
    "cfenv": "fesetenv fegetenv fenv_t",
    "charconv": "from_chars",
    "chrono": "chrono",
    "cmath": "fabs isnan isfinite isinf sqrt log2 exp exp2 log pow nextafter nextafterf ldexp frexp signbit floor ceil trunc "
             "fma sin cos tanh cosh erf erfc fmod fmin fmax copysign ilogb round",
    "condition_variable": "condition_variable",
    "csignal": "signal",
    "cstdio": "printf fprintf snprintf fputs fopen fclose fread fwrite fgetc fflush rewind tmpfile FILE",
    "cstdlib": "getenv strtod strtof strtoul strtoull abort exit system",
    "cstring": "memcpy memcmp memset memmove strerror",
    "deque": "deque",
    "exception": "exception exception_ptr current_exception rethrow_exception",
    "filesystem": "filesystem",
    "fstream": "ifstream ofstream",
    "functional": "function hash ref plus minus multiplies less_equal",
    "future": "future async launch promise",
    "initializer_list": "initializer_list",
    "iterator": "back_inserter inserter istreambuf_iterator",
    "limits": "numeric_limits",
    "map": "map",
    "memory": "shared_ptr unique_ptr make_shared make_unique weak_ptr",
    "mutex": "mutex lock_guard unique_lock",
    "new": "bad_alloc align_val_t",
    "numeric": "iota gcd lcm accumulate",
    "optional": "optional nullopt nullopt_t",
    "ostream": "ostream",
    "random": "mt19937 mt19937_64 uniform_int_distribution uniform_real_distribution normal_distribution random_device",
    "regex": "regex regex_replace regex_match",
    "set": "set multiset",
    "shared_mutex": "shared_mutex shared_lock",
    "span": "span as_bytes",
    "sstream": "istringstream ostringstream stringstream",
    "stdexcept": "runtime_error logic_error",
    "string": "string to_string stoi stoll getline",
    "string_view": "string_view",
    "system_error": "errc error_code generic_category",
    "thread": "thread jthread this_thread",
    "tuple": "tuple tie tuple_size_v apply",
    "type_traits": "is_same_v is_enum_v decay_t remove_cvref_t is_invocable_v is_signed_v make_unsigned_t",
    "unordered_map": "unordered_map unordered_multimap",
    "unordered_set": "unordered_set",
    "utility": "exchange as_const index_sequence make_index_sequence integer_sequence",
    "variant": "variant visit get_if holds_alternative variant_size_v variant_alternative_t",
    "vector": "vector",
}
HEADER_OF = {name: header for header, names in NAMES.items() for name in names.split()}
# Headers of which the standard, or what everybody knows of it, says that they hold the names of another one.
HOLD = {"string": {"string_view", "initializer_list"}, "vector": {"initializer_list"}, "map": {"initializer_list"},
        "set": {"initializer_list"}, "sstream": {"string"}, "fstream": {"string"}, "filesystem": {"string", "system_error"},
        "regex": {"string"}, "future": {"thread", "mutex", "exception"}, "condition_variable": {"mutex"},
        "shared_mutex": {"mutex"}, "stdexcept": {"string", "exception"}, "charconv": {"system_error"},
        "functional": {"utility"}, "memory": {"utility"}, "tuple": {"utility"}, "random": {"cmath"}}
USE = re.compile(r"\bstd::(\w+)")


def code_of(text):
    """The text without comments and literals, line by line."""
    text = re.sub(r'R"(\w*)\(.*?\)\1"', lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
    text = re.sub(r'"(\\.|[^"\\\n])*"', '""', text)
    return [line.split("//")[0] for line in text.split("\n")]


class Tree:
    """What the files under a root see."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.known = {}

    def seen(self, path):
        """The standard headers that a file sees; those of files that are being read are not counted twice."""
        if path in self.known:
            return self.known[path]
        self.known[path] = set()
        result = set()
        file = self.root / path
        if not file.is_file():
            return result
        for line in file.read_text(encoding="utf-8").split("\n"):
            match = include_check.INCLUDE.match(line)
            if match and match.group(1) == "<":
                result |= {match.group(2)} | HOLD.get(match.group(2), set())
            elif match:
                result |= self.seen(match.group(2))
        self.known[path] = result
        return result

    def violations(self, path):
        """One text per header that is missing, at its first use."""
        seen, missing = self.seen(path), {}
        for number, line in enumerate(code_of((self.root / path).read_text(encoding="utf-8")), 1):
            for name in USE.findall(line):
                header = HEADER_OF.get(name)
                if header and header not in seen:
                    missing.setdefault(header, f"{path}:{number}: std::{name} needs <{header}>")
        return list(missing.values())


def main():
    tree = Tree(sys.argv[1])
    paths = include_check.source_paths(tree.root)
    found = [text for path in paths for text in tree.violations(path)]
    print("\n".join(found) if found else f"{len(paths)} files include the standard headers that they use")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
