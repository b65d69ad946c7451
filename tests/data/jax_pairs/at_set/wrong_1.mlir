module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<16x6xf32>, %arg1: tensor<16xi32>) -> (tensor<16x6xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg2: tensor<4x6xf32>, %arg3: tensor<4xi32>) {
      %1 = stablehlo.iota dim = 0 : tensor<4xi32>
      %2 = stablehlo.slice %arg2 [0:4, 0:1] : (tensor<4x6xf32>) -> tensor<4x1xf32>
      %3 = stablehlo.reshape %2 : (tensor<4x1xf32>) -> tensor<4xf32>
      %c = stablehlo.constant dense<0> : tensor<i32>
      %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %5 = stablehlo.compare LT, %1, %4, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %c_0 = stablehlo.constant dense<4> : tensor<i32>
      %6 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %7 = stablehlo.add %1, %6 : tensor<4xi32>
      %8 = stablehlo.select %5, %7, %1 : tensor<4xi1>, tensor<4xi32>
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %9 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %10 = stablehlo.compare LT, %arg3, %9, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %c_2 = stablehlo.constant dense<6> : tensor<i32>
      %11 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %12 = stablehlo.add %arg3, %11 : tensor<4xi32>
      %13 = stablehlo.select %10, %12, %arg3 : tensor<4xi1>, tensor<4xi32>
      %14 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %15 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %16 = stablehlo.concatenate %14, %15, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
      %17 = "stablehlo.scatter"(%arg2, %16, %3) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        stablehlo.return %arg5 : tensor<f32>
      }) : (tensor<4x6xf32>, tensor<4x2xi32>, tensor<4xf32>) -> tensor<4x6xf32>
      sdy.return %17 : tensor<4x6xf32>
    } : (tensor<16x6xf32>, tensor<16xi32>) -> tensor<16x6xf32>
    return %0 : tensor<16x6xf32>
  }
}
