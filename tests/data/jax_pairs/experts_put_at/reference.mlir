module @jit_unsorted_experts attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<12x3xf32>, %arg1: tensor<4x3x4xf32>, %arg2: tensor<12xi32>) -> (tensor<12x4xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %1 = stablehlo.compare LT, %arg2, %0, SIGNED : (tensor<12xi32>, tensor<12xi32>) -> tensor<12xi1>
    %c_0 = stablehlo.constant dense<4> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<12xi32>
    %3 = stablehlo.add %arg2, %2 : tensor<12xi32>
    %4 = stablehlo.select %1, %3, %arg2 : tensor<12xi1>, tensor<12xi32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<12xi32>) -> tensor<12x1xi32>
    %6 = "stablehlo.gather"(%arg1, %5) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3, 4>}> : (tensor<4x3x4xf32>, tensor<12x1xi32>) -> tensor<12x3x4xf32>
    %7 = stablehlo.dot_general %arg0, %6, batching_dims = [0] x [0], contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<12x3xf32>, tensor<12x3x4xf32>) -> tensor<12x4xf32>
    %8 = call @silu(%7) : (tensor<12x4xf32>) -> tensor<12x4xf32>
    return %8 : tensor<12x4xf32>
  }
  func.func private @silu(%arg0: tensor<12x4xf32>) -> tensor<12x4xf32> {
    %0 = stablehlo.negate %arg0 : tensor<12x4xf32>
    %1 = stablehlo.exponential %0 : tensor<12x4xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<12x4xf32>
    %3 = stablehlo.add %2, %1 : tensor<12x4xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<12x4xf32>
    %5 = stablehlo.divide %4, %3 : tensor<12x4xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<12x4xf32>
    return %6 : tensor<12x4xf32>
  }
}
