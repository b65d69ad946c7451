module @jit_a {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<1xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<4294967296> : tensor<1x1xi64>
    %0 = "stablehlo.gather"(%arg0, %c) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}> : (tensor<4xf32>, tensor<1x1xi64>) -> tensor<1xf32>
    return %0 : tensor<1xf32>
  }
}
