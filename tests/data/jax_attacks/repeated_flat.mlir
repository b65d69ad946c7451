module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<8x4xf32>) -> (tensor<4xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}, {}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg1: tensor<8x4xf32>) {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %values, %indices = chlo.top_k(%arg1, k = 2) : tensor<8x4xf32> -> (tensor<8x2xf32>, tensor<8x2xi32>)
      %values_0, %indices_1 = chlo.top_k(%arg1, k = 2) : tensor<8x4xf32> -> (tensor<8x2xf32>, tensor<8x2xi32>)
      %c = stablehlo.constant dense<0> : tensor<i32>
      %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x2xi32>
      %3 = stablehlo.compare LT, %indices, %2, SIGNED : (tensor<8x2xi32>, tensor<8x2xi32>) -> tensor<8x2xi1>
      %c_2 = stablehlo.constant dense<4> : tensor<i32>
      %4 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8x2xi32>
      %5 = stablehlo.add %indices, %4 : tensor<8x2xi32>
      %6 = stablehlo.select %3, %5, %indices : tensor<8x2xi1>, tensor<8x2xi32>
      %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<8x2xi32>) -> tensor<8x2x1xi32>
      %8 = "stablehlo.scatter"(%1, %7, %values_0) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        stablehlo.return %arg3 : tensor<f32>
      }) : (tensor<4xf32>, tensor<8x2x1xi32>, tensor<8x2xf32>) -> tensor<4xf32>
      sdy.return %8 : tensor<4xf32>
    } : (tensor<8x4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
