// Who accessed which element of shared memory since the last barrier: a note for each element is enough, since a
// barrier orders all threads of a block. Elements are accessed whole. Cost: a comparison or two per access.
#include "exec/kernels/simt/shared_memory.h"

namespace isoshard::exec {
namespace {

std::string element_text(const SharedElements& array, int64_t i) {
  return "element " + std::to_string(i) + " of the shared array of line " + std::to_string(array.line);
}

bool is_outside(const SharedElements& array, int64_t i) {
  return i < 0 || i >= static_cast<int64_t>(array.accessed.size());
}

std::string outside(const char* what, const SharedElements& array, int64_t i, int thread) {
  return "thread " + std::to_string(thread) + what + element_text(array, i) + ", which has " +
         std::to_string(array.accessed.size());
}

std::string race(const SharedElements& array, int64_t i, int first, const char* first_does, int second,
                 const char* second_does) {
  return "a race: thread " + std::to_string(first) + first_does + element_text(array, i) + ", and thread " +
         std::to_string(second) + second_does + " it without a barrier in between";
}

}  // namespace

SharedElements& SharedMemory::declare(int line, int64_t count, size_t element_bytes) {
  for (SharedElements& array : arrays_) {
    if (array.line == line) return array;
  }
  const auto elements = static_cast<size_t>(count);
  arrays_.push_back({line, element_bytes, std::vector<std::byte>(elements * element_bytes, std::byte{0xff}),
                     std::vector<SharedElements::Accessed>(elements)});
  return arrays_.back();
}

std::string reading(SharedElements& array, int64_t i, int thread, int64_t barrier) {
  if (is_outside(array, i)) return outside(" reads ", array, i, thread);
  SharedElements::Accessed& last = array.accessed[static_cast<size_t>(i)];
  if (last.written_at == 0) {
    return "thread " + std::to_string(thread) + " reads " + element_text(array, i) + ", which no thread has written";
  }
  if (last.written_at == barrier && last.writer != thread) {
    return race(array, i, last.writer, " wrote ", thread, " reads");
  }
  if (last.read_at != barrier) {
    last.read_at = barrier, last.reader = thread, last.has_more_readers = false;
  } else if (last.reader != thread) {
    last.has_more_readers = true;
  }
  return "";
}

std::string writing(SharedElements& array, int64_t i, int thread, int64_t barrier) {
  if (is_outside(array, i)) return outside(" writes ", array, i, thread);
  SharedElements::Accessed& last = array.accessed[static_cast<size_t>(i)];
  if (last.written_at == barrier && last.writer != thread) {
    return race(array, i, last.writer, " wrote ", thread, " writes");
  }
  if (last.read_at == barrier && (last.reader != thread || last.has_more_readers)) {
    return race(array, i, last.reader, " read ", thread, " writes");
  }
  last.written_at = barrier, last.writer = thread;
  return "";
}

}  // namespace isoshard::exec
