// Names that people bring along: ops of JAX (`lax.psum`, `jnp.where`), PyTorch (`torch.matmul`) and NCCL
// (`ncclAllReduce`). A module in front is taken off, then one table says what the op is called here, with an example
// where fields are needed. Cost: one walk over the table, for a name that is an error.
#include "core/text/elaborate/op_aliases.h"

#include <algorithm>
#include <iterator>

namespace isoshard::text {
namespace {

struct Alias {
  std::string_view name, advice;
};

constexpr std::string_view kAllReduce = "`all_reduce`, as in `%y = all_reduce %x {axis=model}`";
constexpr std::string_view kAllGather = "`all_gather`, as in `%y = all_gather %x {axis=model, dim=0}`";
constexpr std::string_view kReduceScatter = "`reduce_scatter`, as in `%y = reduce_scatter %x {axis=model, dim=0}`";
constexpr std::string_view kAllToAll =
    "`all_to_all`, as in `%y = all_to_all %x {axis=model, split_dim=0, concat_dim=1}`";
constexpr std::string_view kPermute = "`collective_permute`, as in `%y = collective_permute %x {axis=model, shift=1}`";
constexpr std::string_view kMaximum =
    "`maximum` of two values; over dimensions `reduce`, as in `reduce %x {op=max, dims=[1]}`";
constexpr std::string_view kMinimum =
    "`minimum` of two values; over dimensions `reduce`, as in `reduce %x {op=min, dims=[1]}`";
constexpr std::string_view kReduceAdd = "`reduce`, as in `%y = reduce %x {op=add, dims=[1]}`";
constexpr std::string_view kMean = "`reduce` and a division, as in `reduce(%x) {op=add, dims=[1]} / size(%x, 1)`";
constexpr std::string_view kProduct =
    "`dot_general`, as in `%y = dot_general %x, %w {contract=[1]x[0]}`; or `einsum \"ij,jk->ik\" %x, %w`";
constexpr std::string_view kConvert = "`convert`, as in `%y = convert %x {dtype=f32}`";
constexpr std::string_view kBroadcast = "`broadcast_in_dim`, as in `%y = broadcast_in_dim %x {dims=[1], shape=[4, 8]}`";
constexpr std::string_view kTranspose = "`transpose`, as in `%y = transpose %x {permutation=[1, 0]}`";
constexpr std::string_view kConcatenate = "`concatenate`, as in `%y = concatenate %a, %b {dim=0}`";
constexpr std::string_view kConstant = "`constant`, as in `%y = constant {value=0, dtype=f32, shape=[4, 8]}`";
constexpr std::string_view kIota = "`iota`, as in `%i = iota {dtype=i32, shape=[8]}`";
constexpr std::string_view kCompare =
    "`compare`, as in `%m = compare %a, %b {direction=lt}`; or `%a < %b` in an expression";
constexpr std::string_view kScan = "`scan`, as in `%h = scan (%c = %x) trips 4 { ... }`; a short loop may be a `for`";
constexpr std::string_view kLibrary = "a func of the library: `import \"std/nn.shard\"` in front of the programs";

constexpr Alias kAliases[] = {
    {"psum", kAllReduce},
    {"allreduce", kAllReduce},
    {"all_reduce_sum", kAllReduce},
    {"AllReduce", kAllReduce},
    {"pmean", "`all_reduce` and a division, as in `all_reduce(%x) {axis=model} / size(model)`"},
    {"pmax", "`all_reduce`, as in `%y = all_reduce %x {axis=model, op=max}`"},
    {"pmin", "`all_reduce`, as in `%y = all_reduce %x {axis=model, op=min}`"},
    {"psum_scatter", kReduceScatter},
    {"reducescatter", kReduceScatter},
    {"reduce_scatter_tensor", kReduceScatter},
    {"ReduceScatter", kReduceScatter},
    {"allgather", kAllGather},
    {"all_gather_into_tensor", kAllGather},
    {"AllGather", kAllGather},
    {"alltoall", kAllToAll},
    {"all_to_all_single", kAllToAll},
    {"AllToAll", kAllToAll},
    {"ppermute", kPermute},
    {"pshuffle", kPermute},
    {"send", kPermute},
    {"recv", kPermute},
    {"Send", kPermute},
    {"Recv", kPermute},
    {"pvary", "`convert_state`, as in `%y = convert_state %x {axis=model, to=V}`"},
    {"pcast", "`convert_state`, as in `%y = convert_state %x {axis=model, to=V}`"},
    {"axis_size", "no op: `size(model)` is the number of devices of an axis"},
    {"exp", "`exponential`"},
    {"expm1", "`exponential_minus_one`"},
    {"log1p", "`log_plus_one`"},
    {"ln", "`log`"},
    {"mul", "`multiply`; or `%a * %b` in an expression"},
    {"sub", "`subtract`; or `%a - %b` in an expression"},
    {"div", "`divide`; or `%a / %b` in an expression"},
    {"true_divide", "`divide`; or `%a / %b` in an expression"},
    {"floor_divide", "`integer_divide`, of integers, toward zero"},
    {"neg", "`negate`; or `-%a` in an expression"},
    {"negative", "`negate`; or `-%a` in an expression"},
    {"pow", "`power`"},
    {"square", "`multiply`; or `%a * %a` in an expression"},
    {"integer_pow", "`multiply`; or `%a * %a` in an expression"},
    {"reciprocal", "`divide`; or `1 / %a` in an expression"},
    {"rem", "`remainder`"},
    {"fmod", "`remainder`"},
    {"sigmoid", "`logistic`"},
    {"sin", "`sine`"},
    {"cos", "`cosine`"},
    {"erfinv", "`erf_inv`"},
    {"round", "`round_nearest_even`"},
    {"clip", "`clamp`, as in `%y = clamp 0, %x, 1`"},
    {"max", kMaximum},
    {"amax", kMaximum},
    {"reduce_max", kMaximum},
    {"min", kMinimum},
    {"amin", kMinimum},
    {"reduce_min", kMinimum},
    {"reduce_sum", kReduceAdd},
    {"mean", kMean},
    {"reduce_mean", kMean},
    {"argmax", "`reduce`, as in `%i = reduce %x {op=argmax, dims=[1]}`"},
    {"matmul", kProduct},
    {"mm", kProduct},
    {"bmm", kProduct},
    {"dot", kProduct},
    {"tensordot", kProduct},
    {"conv", "`convolution`"},
    {"where", "`select`, as in `%y = select %mask, %a, %b`; or `where` of the library, `import \"std/nn.shard\"`"},
    {"cond", "`select` of values, or `if` where integers decide"},
    {"cast", kConvert},
    {"astype", kConvert},
    {"to", kConvert},
    {"convert_element_type", kConvert},
    {"broadcast", kBroadcast},
    {"broadcast_to", kBroadcast},
    {"expand", kBroadcast},
    {"expand_dims", "`reshape`, as in `%y = reshape %x {shape=[4, 1]}`"},
    {"squeeze", "`reshape`, as in `%y = reshape %x {shape=[4]}`"},
    {"unsqueeze", "`reshape`, as in `%y = reshape %x {shape=[4, 1]}`"},
    {"T", kTranspose},
    {"permute", kTranspose},
    {"swapaxes", kTranspose},
    {"cat", kConcatenate},
    {"concat", kConcatenate},
    {"stack", kConcatenate},
    {"flip", "`reverse`, as in `%y = reverse %x {dims=[0]}`"},
    {"rev", "`reverse`, as in `%y = reverse %x {dims=[0]}`"},
    {"take", "`gather`, as in `%y = gather %table, %ids {dim=0}`"},
    {"index_select", "`gather`, as in `%y = gather %table, %ids {dim=0}`"},
    {"embedding", "`gather`, as in `%y = gather %table, %ids {dim=0}`"},
    {"topk", "`top_k`, as in `%values, %indices = top_k %x {k=2}`"},
    {"one_hot", "`compare` with an `iota`, then `convert`"},
    {"arange", kIota},
    {"full", kConstant},
    {"zeros", kConstant},
    {"ones", kConstant},
    {"zeros_like", kConstant},
    {"ones_like", kConstant},
    {"eq", kCompare},
    {"ne", kCompare},
    {"lt", kCompare},
    {"le", kCompare},
    {"gt", kCompare},
    {"ge", kCompare},
    {"equal", kCompare},
    {"less", kCompare},
    {"greater", kCompare},
    {"detach", "`stop_gradient`"},
    {"custom_vjp", "a field of a call: `call @f(%x) {vjp=@f_bwd}`"},
    {"value_and_grad", "`grad`, as in `%l, %g = grad @loss(%x, %w) {wrt=[1]}`"},
    {"fori_loop", kScan},
    {"while_loop", kScan},
    {"relu", kLibrary},
    {"silu", kLibrary},
    {"swish", "`silu` of the library: `import \"std/nn.shard\"` in front of the programs"},
    {"gelu", kLibrary},
    {"softmax", kLibrary},
    {"log_softmax", kLibrary},
    {"rms_norm", kLibrary},
    {"layer_norm", kLibrary},
    {"rope", kLibrary},
    {"attention", "`causal_attention` of the library: `import \"std/nn.shard\"` in front of the programs"},
    {"scaled_dot_product_attention",
     "`causal_attention` of the library: `import \"std/nn.shard\"` in front of the programs"},
};

}  // namespace

std::string alias_advice(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot != std::string_view::npos) name.remove_prefix(dot + 1);
  if (name.starts_with("nccl")) name.remove_prefix(4);
  const auto found =
      std::find_if(std::begin(kAliases), std::end(kAliases), [&](const Alias& a) { return a.name == name; });
  return found == std::end(kAliases) ? "" : std::string(found->advice);
}

}  // namespace isoshard::text
