// Mistakes in values: lost, doubled, exchanged, another op.
#include "tests/autodiff/mistakes.h"

namespace isoshard::autodiff {
namespace {

std::vector<ValueId> with(std::vector<ValueId> values, size_t i, ValueId value) {
  values[i] = value;
  return values;
}

bool is_scan(const Place& p) { return p.as<Scan>() != nullptr; }

bool is_zero(const Place& p) {
  const Constant* constant = p.as<Constant>();
  return constant != nullptr && constant->value.is_zero();
}

/// a + b = b + a, also for the larger of two and for equality.
bool commutes(const Place& p) {
  if (const Compare* compare = p.as<Compare>()) {
    return compare->direction == Direction::eq || compare->direction == Direction::ne;
  }
  return p.as<Add>() != nullptr || p.as<Multiply>() != nullptr || p.as<And>() != nullptr ||
         p.as<Maximum>() != nullptr || p.as<Minimum>() != nullptr;
}

/// The results of the op, of which result i becomes something else.
template <class Change>
Mistake result(std::string did, size_t i, const Change& change) {
  const auto apply = [=](Place& p) -> Replacement {
    if (is_scan(p) || i >= p.op().results.size()) return std::nullopt;
    const std::vector<ValueId> results = p.again(p.operands());
    const ValueId changed = change(p, results[i]);
    if (!changed.valid()) return std::nullopt;
    p.did = did + " (result " + std::to_string(i) + ")";
    return with(results, i, changed);
  };
  return Mistake(apply, i);
}

}  // namespace

void add_results(std::vector<Mistake>& all) {
  for (const size_t i : {0U, 1U}) {
    all.push_back(result("lost", i, [](Place& p, ValueId v) {
      return p.as<Constant>() == nullptr && p.float_result() ? p.constant(Rational(0), v) : ValueId();
    }));
    all.push_back(result("negated", i, [](Place& p, ValueId v) {
      return p.floats(v) && !is_zero(p) ? p.add(Negate{}, {v}) : ValueId();
    }));
    all.push_back(result("doubled", i, [](Place& p, ValueId v) {
      return p.floats(v) && !is_zero(p) ? p.add(Add{}, {v, v}) : ValueId();
    }));
    all.push_back(result("with one more", i, [](Place& p, ValueId v) {
      return p.type(v).dtype != DType::pred ? p.add(Add{}, {v, p.constant(Rational(1), v)}) : ValueId();
    }));
    all.push_back(result("with one less", i, [](Place& p, ValueId v) {
      return p.type(v).dtype != DType::pred ? p.add(Subtract{}, {v, p.constant(Rational(1), v)}) : ValueId();
    }));
    all.push_back(result("denied", i, [](Place& p, ValueId v) {
      return p.type(v).dtype == DType::pred ? p.add(Not{}, {v}) : ValueId();
    }));
  }
}

void add_operands(std::vector<Mistake>& all) {
  for (size_t i = 0; i < 4; ++i) {
    all.push_back([i](Place& p) -> Replacement {  // the op is missing
      if (is_scan(p) || p.op().results.size() != 1 || i >= p.operands().size()) return std::nullopt;
      const ValueId made = p.again(p.operands())[0];
      const ValueId operand = p.operand(i);
      if (p.type(made).dtype != p.type(operand).dtype) return std::nullopt;
      if (element_count(p.shape(made)) != element_count(p.shape(operand))) return std::nullopt;
      if (p.as<Reshape>() != nullptr) return std::nullopt;
      p.did = "missing: operand " + std::to_string(i);
      const bool same = p.shape(made) == p.shape(operand);
      return std::vector{same ? operand : p.add(Reshape{p.shape(made)}, {operand})};
    });
    for (size_t j = i + 1; j < 4; ++j) {
      all.push_back([i, j](Place& p) -> Replacement {
        if (is_scan(p) || j >= p.operands().size() || commutes(p)) return std::nullopt;
        std::vector<ValueId> in = p.operands();
        if (in[i] == in[j] || p.type(in[i]) != p.type(in[j])) return std::nullopt;
        std::swap(in[i], in[j]);
        p.did = "operands " + std::to_string(i) + " and " + std::to_string(j) + " exchanged";
        return p.again(std::move(in));
      });
    }
    for (const bool latest : {true, false}) {
      all.push_back([i, latest](Place& p) -> Replacement {  // another value of that type
        if (is_scan(p) || i >= p.operands().size()) return std::nullopt;
        std::vector<ValueId> others;
        for (const ValueId v : p.visible()) {
          if (v != p.operand(i) && p.type(v) == p.type(p.operand(i))) others.push_back(v);
        }
        if (others.empty()) return std::nullopt;
        p.did = std::string(latest ? "the latest" : "the first") + " other value as operand " + std::to_string(i);
        return p.again(with(p.operands(), i, latest ? others.back() : others.front()));
      });
    }
    all.push_back([i](Place& p) -> Replacement {  // a start or an index one further
      if (is_scan(p) || i >= p.operands().size() || p.type(p.operand(i)).dtype != DType::i32) return std::nullopt;
      p.did = "operand " + std::to_string(i) + " one further";
      return p.again(with(p.operands(), i, p.add(Add{}, {p.operand(i), p.constant(Rational(1), p.operand(i))})));
    });
  }
}

namespace {

/// Another op on the same operands.
template <class From, class To>
Mistake instead(std::string name) {
  return [name](Place& p) -> Replacement {
    if (p.as<From>() == nullptr || !p.float_result()) return std::nullopt;
    p.did = name + " in its place";
    return p.append(To{}, p.operands());
  };
}

}  // namespace

void add_ops(std::vector<Mistake>& all) {
  all.push_back(instead<Add, Subtract>("subtract"));
  all.push_back(instead<Add, Multiply>("multiply"));
  all.push_back(instead<Subtract, Add>("add"));
  all.push_back(instead<Multiply, Divide>("divide"));
  all.push_back(instead<Multiply, Add>("add"));
  all.push_back(instead<Divide, Multiply>("multiply"));
  all.push_back(instead<Maximum, Minimum>("minimum"));
  all.push_back(instead<Minimum, Maximum>("maximum"));
  all.push_back(instead<Sine, Cosine>("cosine"));
  all.push_back(instead<Cosine, Sine>("sine"));
  all.push_back(instead<Exponential, Log>("log"));
  all.push_back(instead<Log, Exponential>("exponential"));
  all.push_back(instead<Sign, Abs>("abs"));
  all.push_back(instead<Abs, Sign>("sign"));
}

}  // namespace isoshard::autodiff
