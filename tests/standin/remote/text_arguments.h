#pragma once

#include <nccl.h>

#include <cstring>
#include <span>
#include <string>

#include "tests/standin/remote/message.h"

/// Arguments with texts, as those of arguments.h.
namespace standin {

/// A text that the call writes.
struct Text {
  std::string* text;
  void write(Writer&) const {}
  void take_back(Reader& in) const {
    const std::span<const std::byte> got = in.take_bytes(in.take<size_t>());
    text->assign(reinterpret_cast<const char*>(got.data()), got.size());
  }
  struct There {
    explicit There(Reader&) {}
    std::string* get() { return &text; }
    void write_back(Writer& out, bool) const {
      out.put(text.size());
      out.put_bytes(text.data(), text.size());
    }
    std::string text;
  };
};

/// How a communicator is made, or null.
struct Config {
  const ncclConfig_t* config;
  void write(Writer& out) const {
    out.put(config != nullptr);
    if (config == nullptr) return;
    out.put(*config);
    const size_t length = config->commName != nullptr ? std::strlen(config->commName) : 0;
    out.put(length);
    out.put_bytes(config->commName, length);
  }
  void take_back(Reader&) const {}
  struct There {
    explicit There(Reader& in) : given(in.take<bool>()) {
      if (!given) return;
      config = in.take<ncclConfig_t>();
      const std::span<const std::byte> text = in.take_bytes(in.take<size_t>());
      name.assign(reinterpret_cast<const char*>(text.data()), text.size());
      config.netName = nullptr;
    }
    ncclConfig_t* get() {
      if (given && config.commName != nullptr) config.commName = name.c_str();
      return given ? &config : nullptr;
    }
    void write_back(Writer&, bool) const {}
    bool given;
    ncclConfig_t config{};
    std::string name;
  };
};

inline Text as_argument(Text text) { return text; }
inline Config as_argument(Config config) { return config; }

}  // namespace standin
