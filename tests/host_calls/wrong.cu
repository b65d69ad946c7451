// What exec/cuda/host_calls.sh finds: a template of the host that calls a function of the GPU, which nvcc accepts.
__device__ __forceinline__ long chunks_of(long terms) { return (terms + 511) / 512; }

template <class Call>
long chunks(const Call& call) {
  return chunks_of(call.terms);
}

struct Sum {
  long terms;
};
long chunks_of_sum(long terms) { return chunks(Sum{terms}); }
