#include "tests/reference/local_ops.h"

#include <string>

namespace isoshard::reference {

template <class T>
std::vector<Array<T>> evaluate_local(const OpData& op, const std::vector<const Array<T>*>& operands,
                                     const std::vector<TensorType>& results) {
  const LocalOp<T> local{operands, results};
  for (Results<T> (*family)(const OpData&, const LocalOp<T>&) :
       {elementwise<T>, movement<T>, contraction<T>, random<T>}) {
    if (Results<T> made = family(op, local)) return *std::move(made);
  }
  throw Unsupported(std::string(op_name(op)) + " is no local op");
}

template std::vector<Array<double>> evaluate_local(const OpData&, const std::vector<const Array<double>*>&,
                                                   const std::vector<TensorType>&);
template std::vector<Array<Rounded>> evaluate_local(const OpData&, const std::vector<const Array<Rounded>*>&,
                                                    const std::vector<TensorType>&);
template std::vector<Array<Formal>> evaluate_local(const OpData&, const std::vector<const Array<Formal>*>&,
                                                   const std::vector<TensorType>&);
template std::vector<Array<Quad>> evaluate_local(const OpData&, const std::vector<const Array<Quad>*>&,
                                                 const std::vector<TensorType>&);
template std::vector<Array<mpq_class>> evaluate_local(const OpData&, const std::vector<const Array<mpq_class>*>&,
                                                      const std::vector<TensorType>&);

}  // namespace isoshard::reference
