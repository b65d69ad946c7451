// The stand-in's headers declare what CUDA, NCCL and cuBLASLt do: compiled with the stand-in's headers, and where the
// real ones are with those (test standin.real_headers), it fails where a name, a signature, a value or a layout
// differs.
#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <nccl.h>

#include <cstddef>

namespace isoshard::standin_signatures {

template <class... Type>
struct Pointer;
template <class Result, class... Arguments>
struct Pointer<Result(Arguments...)> {
  using type = Result (*)(Arguments...);
};

// Not the type of `&name`: for C++ the real headers add overloads.
#define SIGNATURE(name, ...) \
  static_assert(sizeof(static_cast<Pointer<__VA_ARGS__>::type>(&name)) == sizeof(void*), #name);
#define VALUE(name, number) static_assert(static_cast<long long>(name) == number, #name);
#define LAYOUT(type, bytes) static_assert(sizeof(type) == bytes, #type);
#define MEMBER(type, member, bytes) static_assert(offsetof(type, member) == bytes, #type "." #member);
#include "tests/standin/signatures.inc"
#undef SIGNATURE
#undef VALUE
#undef LAYOUT
#undef MEMBER

}  // namespace isoshard::standin_signatures
