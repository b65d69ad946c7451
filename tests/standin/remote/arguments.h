#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tests/standin/remote/message.h"

/// How arguments of a call go to another process and back. Each kind writes what the caller has and takes back what
/// came of it; its `There` is that argument in the process in which the call is made.
namespace standin {

/// As it is: numbers, handles, addresses of devices.
template <class T>
struct ByValue {
  T value;
  void write(Writer& out) const { out.put(value); }
  void take_back(Reader&) const {}
  struct There {
    explicit There(Reader& in) : value(in.take<T>()) {}
    T get() const { return value; }
    void write_back(Writer&, bool) const {}
    T value;
  };
};

/// Where the call puts something, or null.
template <class T>
struct Out {
  T* place;
  void write(Writer& out) const {
    out.put(place != nullptr);
    if (place != nullptr) out.put(*place);
  }
  void take_back(Reader& in) const {
    if (place != nullptr) *place = in.take<T>();
  }
  struct There {
    explicit There(Reader& in) : given(in.take<bool>()), value(given ? in.take<T>() : T{}) {}
    T* get() { return given ? &value : nullptr; }
    void write_back(Writer& out, bool) const {
      if (given) out.put(value);
    }
    bool given;
    T value;
  };
};

template <class T>
Out(T*) -> Out<T>;  // clang 14 deduces none for aggregates

/// Bytes of the caller that the call reads, or null.
struct In {
  const void* data;
  size_t bytes;
  void write(Writer& out) const {
    out.put(data != nullptr ? bytes : size_t{0});
    out.put(data != nullptr);
    if (data != nullptr) out.put_bytes(data, bytes);
  }
  void take_back(Reader&) const {}
  struct There {
    explicit There(Reader& in) {
      const auto count = in.take<size_t>();
      given = in.take<bool>();
      const std::span<const std::byte> read = in.take_bytes(count);
      bytes.assign(read.begin(), read.end());
      bytes.reserve(1);
    }
    const void* get() const { return given ? bytes.data() : nullptr; }
    void write_back(Writer&, bool) const {}
    bool given;
    std::vector<std::byte> bytes;
  };
};

/// Elements of the caller that the call writes, or null. Where the call fails they are what they were, and what it may
/// still write later, as a copy that was issued, goes to memory that stays.
template <class T>
struct Back {
  T* data;
  size_t count;
  void write(Writer& out) const {
    out.put(data != nullptr);
    out.put(data != nullptr ? count : size_t{0});
  }
  void take_back(Reader& in) const {
    const std::span<const std::byte> got = in.take_bytes(in.take<size_t>());
    if (!got.empty()) std::memcpy(static_cast<void*>(data), got.data(), got.size());
  }
  struct There {
    explicit There(Reader& in) : given(in.take<bool>()), count(in.take<size_t>()) {
      if (given) elements = std::make_unique<T[]>(count);
    }
    T* get() const { return elements.get(); }
    void write_back(Writer& out, bool good) {
      out.put(good ? count * sizeof(T) : size_t{0});
      if (good) {
        out.put_bytes(elements.get(), count * sizeof(T));
      } else {
        static_cast<void>(elements.release());
      }
    }
    bool given;
    size_t count;
    std::unique_ptr<T[]> elements;
  };
};

template <class T>
ByValue<T> as_argument(T value) {
  return {value};
}
template <class T>
Out<T> as_argument(Out<T> out) {
  return out;
}
template <class T>
Back<T> as_argument(Back<T> back) {
  return back;
}
inline In as_argument(In in) { return in; }

}  // namespace standin
