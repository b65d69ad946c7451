// The right twin of wrong.cu: the function is there for the host, too.
__host__ __device__ __forceinline__ long chunks_of(long terms) { return (terms + 511) / 512; }

template <class Call>
long chunks(const Call& call) {
  return chunks_of(call.terms);
}

struct Sum {
  long terms;
};
long chunks_of_sum(long terms) { return chunks(Sum{terms}); }
