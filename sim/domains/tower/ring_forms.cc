#include "sim/domains/tower/ring_forms.h"

#include "core/support/check.h"

namespace isoshard::sim {
namespace {

const mpz_class kInlineLimit = mpz_class(1) << 50;

}  // namespace

RingForms::~RingForms() {
  for (size_t c = 0; c < kChunks; ++c) delete[] chunks_[c].load();
}

mpq_class RingForms::number_of(uint64_t word) const {
  return is_integer(word) ? mpq_class(static_cast<long>(integer_of(word))) : at(word).c;
}

uint64_t RingForms::number(const mpq_class& x) {
  if (x.get_den() == 1 && abs(x.get_num()) < kInlineLimit) return integer(x.get_num().get_si());
  RingForm form;
  form.kind = kNumber;
  form.c = x;
  return word(form);
}

RingForm RingForms::form(uint64_t word) const {
  if (is_plain(word)) return {};
  if (!is_integer(word)) return at(word);
  RingForm form;
  form.kind = kNumber;
  form.c = static_cast<long>(integer_of(word));
  return form;
}

uint64_t RingForms::word(const RingForm& form) {
  if (form.kind == RingForm::Kind::value && form.c == 0 && form.q == 0) return kPlain;
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = words_.emplace(form, 0);
  if (!is_new) return found->second;
  const uint64_t index = words_.size() - 1;
  ISOSHARD_CHECK(index / kChunk < kChunks, "more than 2^26 different forms of ring elements");
  std::atomic<RingForm*>& chunk = chunks_[index / kChunk];
  if (chunk.load() == nullptr) chunk.store(new RingForm[kChunk]);
  chunk.load()[index % kChunk] = form;
  return found->second = index << 2 | kInTable;
}

}  // namespace isoshard::sim
