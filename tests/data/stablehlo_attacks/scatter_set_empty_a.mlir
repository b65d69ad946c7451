module @jit_a {
  func.func public @main(%arg0: tensor<2xf32>, %arg1: tensor<2x3xf32>) -> (tensor<2xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<2x3x0xi32>
    %0 = "stablehlo.scatter"(%arg0, %c, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<input_batching_dims = [0], scatter_indices_batching_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %b : tensor<f32>
    }) : (tensor<2xf32>, tensor<2x3x0xi32>, tensor<2x3xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
