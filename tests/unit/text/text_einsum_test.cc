// `einsum` and names of other systems.

#include "core/text/elaborate/fields.h"
#include "core/text/elaborate/op_aliases.h"
#include "tests/unit/text/text_fixture.h"

namespace isoshard::text_einsum_test {
namespace {

using ::testing::HasSubstr;

class Einsum : public TextTest {
 protected:
  static std::string program(const std::string& statement) {
    return "isoshard 1\nmesh @m [tp=2]\nglobal @a : f32[2, 3, 4] const\nglobal @w : f32[4, 5] const\n"
           "global @k : f32[2, 6, 4] const\nprogram @p on @m {\n"
           "  %a = view @a [-, -, -]\n  %w = view @w [-, -]\n  %k = view @k [-, -, -]\n" +
           statement + "  return @y = %w [-, -]\n}\n";
  }

  /// The ops that `einsum` becomes.
  std::string ops(const std::string& equation) {
    const std::string text = printed(program("  %y = einsum " + equation + "\n"));
    const size_t begin = text.find("  %k = view");
    return text.substr(text.find('\n', begin) + 1, text.find("  return") - text.find('\n', begin) - 1);
  }

  std::string refused(const std::string& equation) { return error(program("  %y = einsum " + equation + "\n")); }
};

TEST_F(Einsum, BecomesOps) {
  EXPECT_EQ(ops("\"bsd,df->bsf\" %a, %w"), "  %y = dot_general %a, %w {contract=[2]x[0]}\n");
  EXPECT_EQ(ops("\"bsd, df -> bfs\" %a, %w"),
            "  %3 = dot_general %a, %w {contract=[2]x[0]}\n  %y = transpose %3 {permutation=[0, 2, 1]}\n");
  EXPECT_EQ(ops("\"bsd,btd->bst\" %a, %k"), "  %y = dot_general %a, %k {contract=[2]x[2], batch=[0]x[0]}\n");
  EXPECT_EQ(ops("\"bsd,btd->tb\" %a, %k"),
            "  %3 = reduce %a {op=add, dims=[1]}\n"
            "  %4 = dot_general %3, %k {contract=[1]x[2], batch=[0]x[0]}\n"
            "  %y = transpose %4 {permutation=[1, 0]}\n");
  EXPECT_EQ(ops("\"df,df->df\" %w, %w"), "  %y = dot_general %w, %w {contract=[]x[], batch=[0, 1]x[0, 1]}\n");
  EXPECT_EQ(ops("\"df,gh->dfgh\" %w, %w"), "  %y = dot_general %w, %w {contract=[]x[]}\n");
  EXPECT_EQ(ops("\"bsd->b\" %a"), "  %y = reduce %a {op=add, dims=[1, 2]}\n");
  EXPECT_EQ(ops("\"bsd->db\" %a"), "  %3 = reduce %a {op=add, dims=[1]}\n  %y = transpose %3 {permutation=[1, 0]}\n");
  EXPECT_EQ(ops("\"df->fd\" %w"), "  %y = transpose %w {permutation=[1, 0]}\n");
  EXPECT_EQ(ops("\"df->\" %w"), "  %y = reduce %w {op=add, dims=[0, 1]}\n");
}

TEST_F(Einsum, SaysWhatIsSharded) {
  const std::string text = printed(
      "isoshard 1\nmesh @m [tp=2]\nglobal @a : f32[4, 6] const\nglobal @w : f32[6, 5] const\nprogram @p on @m {\n"
      "  %a = view @a [-, tp]\n  %w = view @w [tp, -]\n"
      "  %y = all_reduce(einsum(\"bd,df->fb\", %a, %w) {partial={tp}}) {axis=tp}\n  return @y = %y [-, -]\n}\n");
  EXPECT_THAT(text, HasSubstr("  %2 = dot_general %a, %w {contract=[1]x[0], partial={tp}}\n"
                              "  %3 = transpose %2 {permutation=[1, 0]}\n"
                              "  %y = all_reduce %3 {axis=tp}\n"));
}

TEST_F(Einsum, RefusesWithAReason) {
  EXPECT_EQ(refused("\"bsd,df\" %a, %w"), "10:15 E-einsum einsum: the equation has no `->`; expected \"bsd,df->bsf\"");
  EXPECT_EQ(refused("\"bsd->bs\" %a, %w"),
            "10:15 E-einsum einsum: the equation has 1 terms for 2 operands; expected one for each");
  EXPECT_EQ(refused("\"bsd,df,fg->bsg\" %a, %w, %w"),
            "10:15 E-einsum einsum: there are 3 operands; expected one or two: several einsums say which product comes "
            "first");
  EXPECT_EQ(
      refused("\"bbd,df->bf\" %a, %w"),
      "10:15 E-einsum einsum: `b` stands twice in `bbd`: a diagonal, which no op takes; mask it by two `iota` and "
      "`reduce`");
  EXPECT_EQ(refused("\"bsd,df->bb\" %a, %w"),
            "10:15 E-einsum einsum: `b` stands twice in `bb`; expected each letter once");
  EXPECT_EQ(refused("\"bsd,df->bg\" %a, %w"),
            "10:15 E-einsum einsum: `g` of the result is in no operand; expected a letter of one");
  EXPECT_EQ(
      refused("\"...d,df->...f\" %a, %w"),
      "10:15 E-einsum einsum: found `.` in the equation; expected a letter for each dimension: an ellipsis has no "
      "number of dimensions");
  EXPECT_EQ(refused("\"bd,df->bf\" %a, %w"),
            "10:15 E-einsum einsum: operand 0 is f32[2,3,4] and its letters are `bd`; expected a letter for each "
            "dimension");
  EXPECT_EQ(refused("\"bsd,sf->bdf\" %a, %w"),
            "10:15 E-einsum einsum: `s` is 3 in operand 0 and 4 in operand 1; expected one size");
  EXPECT_EQ(refused("\"df->df\" %w"),
            "10:15 E-einsum einsum: the result is the operand itself; use it, or change the order of its letters");
  EXPECT_EQ(refused("%a, %w"),
            "10:15 P-expected found \"%a\"; expected an equation, as in einsum \"bsd,df->bsf\" %x, %w");
  EXPECT_EQ(refused("\"bsd,df->bsf\" %a, %w {contract=[0]x[0]}"),
            "10:37 E-field einsum has no field `contract`; the fields are partial");
  EXPECT_EQ(error(program("  %y, %z = einsum \"df->fd\" %w\n")), "10:12 E-einsum einsum has one result; 2 are named");
}

TEST_F(Einsum, NamesOfOtherSystemsAreAnswered) {
  const auto answer = [&](const std::string& name) { return error(program("  %y = " + name + " %w\n")); };
  EXPECT_EQ(answer("psum"),
            "10:8 E-op there is no op `psum`; here it is `all_reduce`, as in `%y = all_reduce %x {axis=model}`");
  EXPECT_EQ(
      answer("lax.ppermute"),
      "10:8 E-op there is no op `lax.ppermute`; here it is `collective_permute`, as in `%y = collective_permute %x "
      "{axis=model, shift=1}`");
  EXPECT_EQ(answer("torch.matmul"),
            "10:8 E-op there is no op `torch.matmul`; here it is `dot_general`, as in `%y = dot_general %x, %w "
            "{contract=[1]x[0]}`; or `einsum \"ij,jk->ik\" %x, %w`");
  EXPECT_EQ(
      answer("ncclAllReduce"),
      "10:8 E-op there is no op `ncclAllReduce`; here it is `all_reduce`, as in `%y = all_reduce %x {axis=model}`");
  EXPECT_EQ(answer("exp"), "10:8 E-op there is no op `exp`; here it is `exponential`");
  EXPECT_EQ(
      answer("softmax"),
      "10:8 E-op there is no op `softmax`; here it is a func of the library: `import \"std/nn.shard\"` in front of "
      "the programs");
  EXPECT_EQ(answer("exponentail"), "10:8 E-op there is no op `exponentail`; did you mean `exponential`?");
  EXPECT_EQ(error(program("  %y = %w * mean(%w)\n")).substr(0, 60),
            "10:13 E-op there is no op `mean`; here it is `reduce` and a ");
}

TEST(OpAliases, NameOps) {
  for (const std::string name : {"psum",     "pmean",     "pmax",    "psum_scatter", "all_gather_into_tensor",
                                 "AllToAll", "ppermute",  "pvary",   "exp",          "expm1",
                                 "log1p",    "mul",       "sub",     "div",          "floor_divide",
                                 "neg",      "pow",       "square",  "reciprocal",   "rem",
                                 "sigmoid",  "sin",       "cos",     "erfinv",       "round",
                                 "clip",     "max",       "amin",    "reduce_sum",   "mean",
                                 "argmax",   "matmul",    "conv",    "where",        "cond",
                                 "cast",     "broadcast", "squeeze", "permute",      "cat",
                                 "flip",     "take",      "topk",    "one_hot",      "arange",
                                 "zeros",    "eq",        "detach",  "fori_loop",    "value_and_grad"}) {
    const std::string advice = text::alias_advice("jax.lax." + name);
    ASSERT_FALSE(advice.empty()) << name;
    const std::string op = advice.substr(1, advice.find_first_of("`(", 1) - 1);
    EXPECT_TRUE(advice[0] == '`' && text::is_op(op)) << name << " is answered with " << advice;
  }
  EXPECT_EQ(text::alias_advice("frobnicate"), "");
}

}  // namespace
}  // namespace isoshard::text_einsum_test
