#include "core/support/result.h"
#include "verify/causes/wrong_element.h"

#include <gmock/gmock.h>

#include "tests/unit/verify/verify_fixture.h"
#include "verify/compare/make_pair.h"
#include "verify/evidence/element_sources.h"
#include "verify/ring/ring_outcome.h"

namespace isoshard::verify::verify_element_test {
namespace {

using ::testing::HasSubstr;
using How = Made::How;

/// One step of both programs of the only check of a text, with all values kept.
class Traced {
 public:
  explicit Traced(const std::string& body)
      : module_(parse(body)),
        pair_(make_pair_of(module_, module_.checks.at(0))),
        domain_(make_ring({}, kLanes, {})),
        fingerprinter_(*domain_, kLanes, 0, {&pair_.sharded.plan, &pair_.reference.plan}),
        trace_(pair_.sharded.plan, fingerprinter_, size_t{1} << 30),
        other_(pair_.reference.plan, fingerprinter_, size_t{1} << 30),
        run_(pair_, *domain_, ring_draw({}, *domain_, {}), 1) {
    EXPECT_TRUE(run_.next({&trace_, &other_}).has_value());
  }

  const Plan& plan() const { return pair_.sharded.plan; }
  ElementSources sources() const { return {plan(), trace_, fingerprinter_, *domain_}; }
  const Fingerprinter& fingerprinter() const { return fingerprinter_; }
  Fingerprint of(const Element& e) const {
    return fingerprinter_.of_element(trace_.value(e.value, e.position), e.index);
  }
  /// The element of the global that `loaded` says it is.
  Fingerprint in_global(const ElementSources& sources, const Element& loaded) const {
    const LoadBlock& load = std::get<LoadBlock>(plan().instruction(sources.maker(loaded.value)).data());
    const sim::Value& whole = run_.globals()[load.global.index()];
    int64_t at = 0;
    const std::vector<int64_t> place = sources.place_in_global(loaded);
    for (size_t d = 0; d < place.size(); ++d) at = at * whole.type.shape[d] + place[d];
    return fingerprinter_.of_element(whole, at);
  }

 private:
  static constexpr size_t kLanes = 2;
  Module module_;
  Pair pair_;
  std::unique_ptr<sim::Domain> domain_;
  Fingerprinter fingerprinter_;
  Trace trace_, other_;
  PairRun run_;
};

/// What `made` says that the element is, calculated.
std::optional<Fingerprint> expected(const Traced& t, const ElementSources& sources, const Element& e,
                                    const Made& made) {
  const Fingerprinter& f = t.fingerprinter();
  Fingerprint sum{};
  switch (made.how) {
    case How::loaded:
      return t.in_global(sources, e);
    case How::copied:
      return t.of(made.from.at(0));
    case How::zero:
      return sum;
    case How::summed:
      for (const Element& from : made.from) sum = f.add(sum, t.of(from));
      return sum;
    case How::dotted:
      for (const auto& [a, b] : made.products) sum = f.add(sum, f.multiply(t.of(a), t.of(b)));
      return sum;
    case How::computed:
      break;
  }
  return std::nullopt;
}

const char* const kEverything =
    "mesh @m [a=2, b=3]\n"
    "global @x : f64[6, 12, 5] input\nglobal @w : f64[5, 7] param\nglobal @ids : i32[6, 4] input\nglobal @s : f64[5] "
    "param\n"
    "untyped program @p on @m {\n"
    "  %x = view @x [b, a, -] incomplete\n  %w = view @w [-, -]\n  %s = view @s [-] only b=1\n  %ids = view @ids [b, "
    "-]\n"
    "  %part = view @x [b, a, -][:, 1:3, :] incomplete\n"
    "  %d = dot_general %x, %w {contract=[2]x[0]}\n"                  // [2, 6, 7]
    "  %bd = dot_general %x, %x {contract=[2]x[2], batch=[0]x[0]}\n"  // [2, 6, 6]
    "  %t = transpose %d {permutation=[1, 2, 0]}\n  %r = reshape %t {shape=[14, 6]}\n"
    "  %sl = slice %r {start=[1, 0], limit=[13, 6], strides=[4, 2]}\n"                // [3, 3]
    "  %rv = reverse %sl {dims=[1]}\n  %pd = pad %rv, 0 {low=[1, 0], high=[0, 2]}\n"  // [4, 5]
    "  %c = concatenate %pd, %pd {dim=0}\n"                                           // [8, 5]
    "  %i = axis_index {axis=b}\n  %0 = constant {value=0, dtype=i32}\n"
    "  %ds = dynamic_slice %c, %i, %0 {sizes=[6, 5]}\n"
    "  %du = dynamic_update_slice %c, %ds, %i, %0\n"
    "  %g = gather %x, %ids {dim=1, batch=1}\n"  // [2, 4, 5]
    "  %sc = scatter_add %x, %ids, %g {dim=1, batch=1}\n"
    "  %big = compare %x, 0 {direction=ge}\n  %pick = select %big, %x, %sc\n"
    "  %sum = reduce %pick {op=add, dims=[0, 2]}\n"  // [6]
    "  %rows = broadcast_in_dim %sum {dims=[1], shape=[4, 6]}\n  %both = add %rows, %rows\n"
    "  %ag = all_gather %both {axis=(b, a), dim=1}\n"                 // [4, 36]
    "  %aa = all_to_all %both {axis=b, split_dim=1, concat_dim=0}\n"  // [12, 2]
    "  %ar = all_reduce %sum {axis=(a, b)}\n  %rs = reduce_scatter %both {axis=b, dim=1}\n"
    "  %cp = collective_permute %sum {axis=b, pairs=[(0, 1), (1, 2)]}\n"
    "  return @du = %du [(a, b), -]\n  return @ag = %ag [-, -]\n  return @aa = %aa [(b, a), -]\n  return @ar = %ar "
    "[-]\n"
    "  return @rs = %rs [a, b]\n  return @cp = %cp [(a, b)]\n  return @bd = %bd [b, a, -]\n  return @s = %s [(a, b)]\n"
    "  return @part = %part [b, a, -]\n"
    "}\n"
    "check @p == @p\n";

TEST(VerifyElement, EveryElementIsWhatItIsSaidToBeMadeOf) {
  const Traced t(kEverything);
  ElementSources sources = t.sources();
  std::map<How, int> seen;
  for (size_t v = 0; v < t.plan().values.size(); ++v) {
    const PlanValueId id(v);
    for (int64_t p = 0; p < t.plan().mesh->device_count(); ++p) {
      for (int64_t i = 0; i < element_count(sources.shape(id)); ++i) {
        const Element e{id, p, i};
        const Made made = sources.made(e);
        ++seen[made.how];
        const std::optional<Fingerprint> value = expected(t, sources, e, made);
        if (value) {
          ASSERT_EQ(*value, t.of(e)) << t.plan().value(id).name() << " on " << p << " at " << i;
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), 6U) << "some kind of making is not tested";
}

/// @p reads @x [6, 4] over `k` (2) and @y alike; @d says what is right.
std::string rows(const std::string& body, const std::string& dense) {
  return "mesh @g [k=2]\nglobal @x : f64[6, 4] input\nglobal @y : f64[6, 4] input\nglobal @at : i32[3] input\n"
         "untyped program @p on @g {\n  %x = view @x [k, -]\n  %y = view @y [k, -]\n" +
         body + "}\nprogram @d {\n  %x = view @x [-, -]\n  %y = view @y [-, -]\n" + dense + "}\ncheck @p == @d\n";
}

TEST(VerifyElement, ASliceOfOtherRowsBehindASumAndAFunction) {
  const CheckReport r = check_text(
      rows("  %s = slice %x {start=[0, 1], limit=[3, 3]}\n  %t = tanh %s\n  %l = reduce %t {op=add, dims=[0, 1]}\n"
           "  %r = all_reduce %l {axis=k}\n  return @r = %r []\n",
           "  %s = slice %x {start=[0, 2], limit=[6, 4]}\n  %t = tanh %s\n  %r = reduce %t {op=add, dims=[0, 1]}\n"
           "  return @r = %r []\n"));
  EXPECT_EQ(r.diagnosis.value, "%s");
  EXPECT_EQ(r.diagnosis.cause, "%s = slice takes @x[0, 1] instead of @x[0, 3]");
  EXPECT_THAT(r.diagnosis.facts.at(0),
              HasSubstr("@r is made of @x[0, 1], which is element [0, 0] of %s on device k=0"));
}

TEST(VerifyElement, AReshapeWithoutATranspose) {
  const CheckReport r = check_text(
      rows("  %a = transpose %x {permutation=[1, 0]}\n  %b = reshape %a {shape=[3, 4]}\n  %z = exponential %b\n"
           "  return @z = %z [k, -]\n",
           "  %z = exponential %x\n  return @z = %z [-, -]\n"));
  EXPECT_EQ(r.diagnosis.cause, "%b = reshape takes @x[1, 0] instead of @x[0, 1]");
}

TEST(VerifyElement, AnIndexThatIsAnotherOne) {
  const CheckReport r = check_text(
      rows("  %at = view @at [-]\n  %back = reverse %at {dims=[0]}\n  %whole = all_gather %x {axis=k, dim=0}\n"
           "  %g = gather %whole, %back {dim=0}\n  %t = tanh %g\n  return @t = %t [-, -]\n",
           "  %at = view @at [-]\n  %g = gather %x, %at {dim=0}\n  %t = tanh %g\n  return @t = %t [-, -]\n"));
  EXPECT_EQ(r.diagnosis.value, "%back");
  EXPECT_THAT(r.diagnosis.cause, ::testing::MatchesRegex("%back = reverse takes @at.[02]. instead of @at.[20]."));
}

TEST(VerifyElement, AConstantInThePlaceOfAnElement) {
  const CheckReport r =
      check_text(rows("  %i = iota {dtype=i32, shape=[3, 4], dim=1}\n  %keep = compare %i, 2 {direction=lt}\n"
                      "  %zero = constant {value=0, dtype=f64, shape=[3, 4]}\n  %z = select %keep, %x, %zero\n"
                      "  %t = tanh %z\n  %r = multiply %t, %y\n  return @r = %r [k, -]\n",
                      "  %t = tanh %x\n  %r = multiply %t, %y\n  return @r = %r [-, -]\n"));
  EXPECT_EQ(r.diagnosis.cause, "%z = select takes 0 instead of @x[0, 2]");
}

TEST(VerifyElement, OtherWeightsOfTheTermsOfASum) {
  const CheckReport r =
      check_text(rows("  %a = slice %x {start=[0, 0], limit=[1, 4]}\n  %b = slice %x {start=[1, 0], limit=[3, 4]}\n"
                      "  %sa = reduce %a {op=add, dims=[0, 1]}\n  %sb = reduce %b {op=add, dims=[0, 1]}\n"
                      "  %ma = divide %sa, 4\n  %mb = divide %sb, 8\n  %m = add %ma, %mb\n  %h = divide %m, 4\n"
                      "  %r = all_reduce %h {axis=k}\n  return @r = %r []\n",
                      "  %s = reduce %x {op=add, dims=[0, 1]}\n  %r = divide %s, 24\n  return @r = %r []\n"));
  EXPECT_EQ(r.diagnosis.cause, "terms of @r count 3/2x and 3/4x what they count in @d");
  EXPECT_EQ(r.diagnosis.role, "which gives terms of a sum other weights");
}

TEST(VerifyElement, WeightsInsideAContraction) {
  const CheckReport r = check_text(
      rows("  %n = iota {dtype=f64, shape=[3, 4], dim=0}\n  %one = add %n, 1\n  %a = multiply %x, %one\n"
           "  %d = dot_general %y, %a {contract=[0]x[0]}\n  %r = all_reduce %d {axis=k}\n  return @r = %r [-, -]\n",
           "  %r = dot_general %y, %x {contract=[0]x[0]}\n  return @r = %r [-, -]\n"));
  EXPECT_EQ(r.diagnosis.cause, "terms of @r[0, 0] count 2x and 3x what they count in @d");
}

TEST(VerifyElement, ASumThatLacksTerms) {
  const CheckReport r =
      check_text(rows("  %q = multiply %x, %y\n  %some = slice %q {start=[0, 0], limit=[3, 3]}\n"
                      "  %l = reduce %some {op=add, dims=[0, 1]}\n  %r = all_reduce %l {axis=k}\n  return @r = %r []\n",
                      "  %q = multiply %x, %y\n  %r = reduce %q {op=add, dims=[0, 1]}\n  return @r = %r []\n"));
  EXPECT_EQ(r.diagnosis.cause, "%r = all_reduce lacks 6 of the 24 terms of %r of @d");
}

TEST(VerifyElement, ASumThatHasTermsTooMany) {
  const CheckReport r = check_text(
      rows("  %d = dot_general %x, %y {contract=[0, 1]x[0, 1]}\n  %r = all_reduce %d {axis=k}\n  return @r = %r []\n",
           "  %a = slice %x {start=[0, 0], limit=[6, 3]}\n  %b = slice %y {start=[0, 0], limit=[6, 3]}\n"
           "  %r = dot_general %a, %b {contract=[0, 1]x[0, 1]}\n  return @r = %r []\n"));
  EXPECT_EQ(r.diagnosis.cause, "%r = all_reduce has 6 terms more than %r of @d");
  EXPECT_EQ(r.diagnosis.facts.at(0), "the first of these terms is made of @x[0, 3] and @y[0, 3]");
}

TEST(VerifyElement, NumbersOfAnArrayOfAnotherSize) {
  const CheckReport r = check_text(
      "mesh @g [k=2]\nglobal @x : f64[6, 4] input\nglobal @key : key[] key\n"
      "untyped program @p on @g {\n  %x = view @x [k, -]\n  %key = view @key []\n  %bits = rng_bits %key {shape=[3, "
      "4]}\n"
      "  %f = convert %bits {dtype=f64}\n  %r = multiply %x, %f\n  return @r = %r [k, -]\n}\n"
      "program @d {\n  %x = view @x [-, -]\n  %key = view @key []\n  %bits = rng_bits %key {shape=[6, 4]}\n"
      "  %f = convert %bits {dtype=f64}\n  %r = multiply %x, %f\n  return @r = %r [-, -]\n}\ncheck @p == @d\n");
  EXPECT_EQ(r.diagnosis.cause,
            "%bits = rng_bits is the same on every device of `k`, which %bits of @d is not: the place of the device is "
            "missing");
}

}  // namespace
}  // namespace isoshard::verify::verify_element_test
