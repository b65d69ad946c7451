// Scans: one state per carry, equal at entry and exit, and the errors where there is none.

#include "tests/unit/ir/ir_fixture.h"

namespace isoshard::ir_scan_test {
namespace {

class ScanTest : public IrTest {
 protected:
  using Body = std::function<ValueId(ValueId carry)>;

  ValueId zeros(Shape shape = {8, 8}) { return apply(Constant{Rational(0), DType::f32, std::move(shape)}); }
  /// Three iterations that carry one value, called %c.
  ValueId carry(ValueId initial, const Body& next) {
    ScanOperands operands;
    operands.initial = {initial};
    operands.carry_names = {"c"};
    operands.trips = 3;
    return builder_.scan(operands, [&](const ScanArguments& a, bool) {
      ++runs_;
      return ScanYield{{next(a.carries[0])}, {}, Location()};
    })[0];
  }
  ValueId add(ValueId a, ValueId b) { return builder_.add_op(Add{}, {a, b}, "next"); }
  ScanArguments inside_;
  int runs_ = 0;
};

TEST_F(ScanTest, ACarryKeepsTheStateOfItsInitialValue) {
  for (const char* state : {"RR", "IR", "VV", "PV", "=="}) {
    runs_ = 0;
    const ValueId x = argument(std::string("x.") + std::to_string(builder_.program().value_count()), state);
    EXPECT_EQ(states(carry(x, [&](ValueId c) { return builder_.add_op(Negate{}, {c}); })), state);
    EXPECT_EQ(runs_, 1);
  }
  EXPECT_TRUE(state_errors().empty());
}

TEST_F(ScanTest, AZeroTakesTheStateOfTheBody) {
  for (const std::string state : {"RR", "IR", "VV", "PP", "PV", "=="}) {
    const ValueId x = argument("x." + std::to_string(builder_.program().value_count()), state);
    ScanOperands operands;
    operands.initial = {zeros(), x};
    operands.trips = 2;
    const std::vector<ValueId> result = builder_.scan(operands, [&](const ScanArguments& a, bool) {
      return ScanYield{{add(a.carries[0], a.carries[1]), a.carries[1]}, {}, Location()};
    });
    EXPECT_EQ(states(result[0]), state);
  }
  EXPECT_TRUE(state_errors().empty());
}

TEST_F(ScanTest, StatesGoThroughSeveralCarries) {
  // %a takes the state of %b, which takes that of %v: three runs and one that confirms.
  const ValueId v = argument("v", "VR");
  ScanOperands operands;
  operands.initial = {zeros(), zeros(), v};
  operands.trips = 2;
  const std::vector<ValueId> result = builder_.scan(operands, [&](const ScanArguments& a, bool) {
    ++runs_;
    return ScanYield{{a.carries[1], a.carries[2], a.carries[2]}, {}, Location()};
  });
  EXPECT_EQ(states(result[0]), "VR");
  EXPECT_EQ(states(result[1]), "VR");
  EXPECT_EQ(runs_, 3);
  EXPECT_TRUE(state_errors().empty());
}

TEST_F(ScanTest, AZeroThatStaysZeroStaysEqual) {
  const ValueId y = carry(zeros(), [&](ValueId c) { return builder_.add_op(Negate{}, {c}); });
  EXPECT_EQ(states(y), "==");
  const ValueId p = argument("p", "PP");
  EXPECT_EQ(states(apply(Add{}, {y, p})), "PP");  // still an exact zero
  EXPECT_TRUE(state_errors().empty());
}

TEST_F(ScanTest, ACountIsNoZero) {
  // The carry starts at 0 and is 1 later: = that no longer combines with P.
  const ValueId one = apply(Constant{Rational(1), DType::f32, {8, 8}});
  ScanOperands operands;
  operands.initial = {zeros(), one};
  operands.trips = 2;
  const std::vector<ValueId> y = builder_.scan(operands, [&](const ScanArguments& a, bool) {
    return ScanYield{{add(a.carries[0], a.carries[1]), a.carries[1]}, {}, Location()};
  });
  EXPECT_EQ(states(y[0]), "==");
  EXPECT_EQ(states(apply(Add{}, {y[0], argument("p", "P=")})), "?=");
}

TEST_F(ScanTest, EqualActsAsRAndI) {
  const ValueId one = apply(Constant{Rational(1), DType::f32, {8, 8}});
  const ValueId r = argument("r", "RI");
  ScanOperands operands;
  operands.initial = {one, r};
  operands.trips = 2;
  const std::vector<ValueId> y = builder_.scan(operands, [&](const ScanArguments& a, bool) {
    return ScanYield{{a.carries[1], a.carries[1]}, {}, Location()};
  });
  EXPECT_EQ(states(y[0]), "RI");
  EXPECT_TRUE(builder_.type(y[0]).has_gradient);
  // And at the exit: the body forgets an R carry.
  EXPECT_EQ(states(carry(r,
                         [&](ValueId) {
                           return builder_.add_op(Constant{Rational(2), DType::f32, {8, 8}}, {});
                         })),
            "RI");
  EXPECT_TRUE(state_errors().empty());
}

/// One row per pair of states that differ: the message is whole, and the repair it names is then shown to work.
TEST_F(ScanTest, DifferentStatesNameTheRepair) {
  struct Row {
    char entry, exit;
    std::string repair;
  };
  const std::vector<Row> rows{
      {'R', 'V', "reinterpret %x {axis=data, to=V} before the scan, or all_gather %next in the body"},
      {'=', 'V', "reinterpret %x {axis=data, to=V} before the scan, or all_gather %next in the body"},
      {'I', 'V', "all_gather %next in the body, or reinterpret %x {axis=data, to=R} and then to V before the scan"},
      {'R', 'I', "reinterpret %next {axis=data, to=R} in the body"},
      {'I', 'R', "reinterpret %x {axis=data, to=R} before the scan"},
      {'V', 'R', "reinterpret %next {axis=data, to=V} in the body, or all_gather %x before the scan"},
      {'V', '=', "reinterpret %next {axis=data, to=V} in the body, or all_gather %x before the scan"},
      {'V', 'I', "reinterpret %next {axis=data, to=R} and then to V in the body, or all_gather %x before the scan"},
      {'V', 'P', "all_reduce or reduce_scatter %next in the body"},
      {'R', 'P',
       "all_reduce %next {axis=data, to=...} in the body, or convert_state %x {axis=data, to=P, owner=0} before the "
       "scan"},
      {'P', 'R',
       "all_reduce %x {axis=data, to=...} before the scan, or convert_state %next {axis=data, to=P, owner=0} in the "
       "body"},
      {'P', 'V', "reinterpret %next {axis=data, to=P} in the body if the devices hold terms of the sum"},
  };
  for (const Row& row : rows) {
    Module module;
    DiagnosticSink sink;
    Builder builder(module, "f", mesh_, sink, BuilderOptions{ProgramKind::function, true, Location()});
    const auto typed = [&](char letter) {
      const State state = *parse_state(std::string(1, letter));
      return ValueType{TensorType{DType::f32, {2}}, {state, State::equal}, letter != '='};
    };
    ScanOperands operands;
    operands.initial = {builder.argument("x", typed(row.entry)), builder.argument("y", typed(row.exit))};
    operands.carry_names = {"c", "next"};
    operands.trips = 2;
    const std::vector<ValueId> result = builder.scan(operands, [&](const ScanArguments& a, bool) {
      return ScanYield{{a.carries[1], a.carries[1]}, {}, Location()};
    });
    const std::vector<Diagnostic> found = builder.program().state_errors();
    ASSERT_EQ(found.size(), 1U) << row.entry << row.exit;
    EXPECT_EQ(found[0].rule, "S-scan");
    EXPECT_EQ(found[0].message, std::string("scan: the carry %c enters as ") + row.entry +
                                    " over `data` (%x) and leaves as " + row.exit +
                                    " (%next); it has one state: " + row.repair);
    EXPECT_EQ(builder.type(result[0]).states[0], State::unknown);
    EXPECT_EQ(builder.type(result[1]).states[0], *parse_state(std::string(1, row.exit)));
  }
}

TEST_F(ScanTest, UntypedCarriesVaryWhenTheBodyDoes) {
  Module module;
  DiagnosticSink sink;
  Builder builder(module, "f", mesh_, sink, BuilderOptions{ProgramKind::function, false, Location()});
  const ValueId x = builder.argument("x", ValueType{TensorType{DType::f32, {}}, {State::equal, State::equal}, false});
  const ValueId v = builder.argument("v", ValueType{TensorType{DType::f32, {}}, {State::varying, State::equal}, false});
  ScanOperands operands;
  operands.initial = {x, v};
  operands.trips = 2;
  const std::vector<ValueId> y = builder.scan(operands, [&](const ScanArguments& a, bool) {
    return ScanYield{{builder.add_op(Add{}, {a.carries[0], a.carries[1]}), a.carries[1]}, {}, Location()};
  });
  EXPECT_EQ(builder.type(y[0]).states[0], State::varying);
  EXPECT_TRUE(builder.program().state_errors().empty());
}

TEST_F(ScanTest, StackedValuesKeepTheirStates) {
  const ValueId xs = argument("xs", "VP", {5, 8});
  ScanOperands operands;
  operands.stacked = {xs};
  operands.with_index = true;
  const std::vector<ValueId> ys = builder_.scan(operands, [&](const ScanArguments& a, bool) {
    EXPECT_EQ(shape(a.slices[0]), "f32[8]");
    EXPECT_EQ(states(a.slices[0]), "VP");
    EXPECT_EQ(shape(a.index), "i32[]");
    EXPECT_EQ(states(a.index), "==");
    return ScanYield{{}, {builder_.add_op(Negate{}, {a.slices[0]})}, Location()};
  });
  EXPECT_EQ(shape(ys[0]), "f32[5,8]");
  EXPECT_EQ(states(ys[0]), "VP");
}

TEST_F(ScanTest, NamesBelongToTheirRegion) {
  const ValueId x = argument("x", "RR");
  const ValueId y = carry(x, [&](ValueId c) { return builder_.add_op(Negate{}, {c}, "x"); });
  ASSERT_TRUE(y.valid());
  builder_.results({y});
  EXPECT_TRUE(builder_.finish().has_value());
}

TEST_F(ScanTest, BodiesCaptureNothing) {
  const ValueId x = argument("x", "RR"), w = argument("w", "RR");
  EXPECT_FALSE(carry(x, [&](ValueId c) { return add(c, w); }).valid());
  EXPECT_EQ(last_error(),
            "V-capture add: %w belongs to another body, and the body of a scan captures nothing; carry it, or stack it "
            "where each iteration reads its own slice");
}

TEST_F(ScanTest, ValuesOfABodyStayInside) {
  const ValueId x = argument("x", "RR");
  ValueId inner;
  carry(x, [&](ValueId c) { return inner = builder_.add_op(Negate{}, {c}, "inner"); });
  EXPECT_FALSE(apply(Negate{}, {inner}).valid());
  EXPECT_EQ(last_error().substr(0, 46), "V-capture negate: %inner belongs to another bo");
}

TEST_F(ScanTest, ShapesAreChecked) {
  const ValueId x = argument("x", "RR"), ws = argument("ws", "RR", {4, 8}), scalar = argument("s", "RR", {});
  const ScanBody keep = [&](const ScanArguments& a, bool) { return ScanYield{a.carries, {}, Location()}; };
  const auto error_of = [&](ScanOperands operands, const ScanBody& body) {
    EXPECT_FALSE(builder_.scan(operands, body)[0].valid());
    return last_error();
  };
  ScanOperands operands;
  operands.initial = {x};
  EXPECT_EQ(error_of(operands, keep),
            "T-scan scan: nothing is stacked and `trips` is missing; expected how often the body runs");
  operands.trips = -1;
  EXPECT_EQ(error_of(operands, keep), "T-scan scan: `trips` is -1; expected 0 to 2147483647");
  operands.trips = 3;
  operands.stacked = {ws};
  EXPECT_EQ(error_of(operands, keep),
            "T-scan scan: the stacked input 0 is f32[4,8]; expected 3 slices along dimension 0, one per iteration");
  operands.trips = std::nullopt;
  operands.stacked = {ws, scalar};
  EXPECT_EQ(error_of(operands, keep),
            "T-scan scan: the stacked input 1 is f32[]; expected 4 slices along dimension 0, one per iteration");
  operands.stacked = {};
  operands.trips = 2;
  EXPECT_EQ(error_of(operands, [&](const ScanArguments&, bool) { return ScanYield{}; }),
            "T-scan yield: the body yields 0 next carry values for 1 carry value; expected one each");
  operands.carry_names = {"c"};
  EXPECT_EQ(error_of(operands,
                     [&](const ScanArguments& a, bool) {
                       const ValueId sum = builder_.add_op(Reduce{Reducer::add, {0}, {}}, {a.carries[0]}, "sum");
                       return ScanYield{{sum}, {}, Location()};
                     }),
            "T-scan yield: the carry %c is f32[8,8] and its next value %sum is f32[8]; expected one dtype and shape");
  operands = ScanOperands{};
  operands.trips = 2;
  EXPECT_EQ(error_of(operands, [&](const ScanArguments&, bool) { return ScanYield{}; }),
            "T-scan yield: nothing is carried and nothing is stacked; expected at least one value");
  operands.initial = {x};
  operands.result_names = {"a", "b"};
  EXPECT_EQ(error_of(operands, keep), "V-results scan: has 1 result and 2 names");
}

}  // namespace
}  // namespace isoshard::ir_scan_test
