module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<4x8xf32>, %arg1: tensor<4x8xf32>) -> (tensor<4x8xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<[3, 0, 2, 1]> : tensor<4xi32>
    %0 = sdy.manual_computation(%c, %arg0, %arg1) in_shardings=[<@mesh, [{}]>, <@mesh, [{}, {"x"}]>, <@mesh, [{}, {"x"}]>] out_shardings=[<@mesh, [{}, {"x"}]>] manual_axes={"x"} (%arg2: tensor<4xi32>, %arg3: tensor<4x2xf32>, %arg4: tensor<4x2xf32>) {
      %c_0 = stablehlo.constant dense<0> : tensor<i32>
      %1 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %2 = stablehlo.compare LT, %arg2, %1, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %c_1 = stablehlo.constant dense<4> : tensor<i32>
      %3 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %4 = stablehlo.add %arg2, %3 : tensor<4xi32>
      %5 = stablehlo.select %2, %4, %arg2 : tensor<4xi1>, tensor<4xi32>
      %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %7 = "stablehlo.scatter"(%arg3, %6, %arg4) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = false}> ({
      ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
        %8 = stablehlo.add %arg5, %arg6 : tensor<f32>
        stablehlo.return %8 : tensor<f32>
      }) : (tensor<4x2xf32>, tensor<4x1xi32>, tensor<4x2xf32>) -> tensor<4x2xf32>
      sdy.return %7 : tensor<4x2xf32>
    } : (tensor<4xi32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
    return %0 : tensor<4x8xf32>
  }
}
