module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<16x6x2xf32>, %arg1: tensor<16x2xf32>, %arg2: tensor<16xi32>) -> (tensor<16x6x2xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{"x"}, {}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}, {}, {}]>] manual_axes={"x"} (%arg3: tensor<4x6x2xf32>, %arg4: tensor<4x2xf32>, %arg5: tensor<4xi32>) {
      %1 = stablehlo.iota dim = 0 : tensor<4xi32>
      %2 = func.call @_roll_static(%arg4) : (tensor<4x2xf32>) -> tensor<4x2xf32>
      %c = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %4 = stablehlo.compare LT, %1, %3, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %c_0 = stablehlo.constant dense<4> : tensor<i32>
      %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %6 = stablehlo.add %1, %5 : tensor<4xi32>
      %7 = stablehlo.select %4, %6, %1 : tensor<4xi1>, tensor<4xi32>
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %8 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %9 = stablehlo.compare LT, %arg5, %8, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
      %c_2 = stablehlo.constant dense<6> : tensor<i32>
      %10 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %11 = stablehlo.add %arg5, %10 : tensor<4xi32>
      %12 = stablehlo.select %9, %11, %arg5 : tensor<4xi1>, tensor<4xi32>
      %13 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %14 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %15 = stablehlo.concatenate %13, %14, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
      %16 = "stablehlo.scatter"(%arg3, %15, %2) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1>, unique_indices = false}> ({
      ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
        stablehlo.return %arg7 : tensor<f32>
      }) : (tensor<4x6x2xf32>, tensor<4x2xi32>, tensor<4x2xf32>) -> tensor<4x6x2xf32>
      sdy.return %16 : tensor<4x6x2xf32>
    } : (tensor<16x6x2xf32>, tensor<16x2xf32>, tensor<16xi32>) -> tensor<16x6x2xf32>
    return %0 : tensor<16x6x2xf32>
  }
  func.func private @_roll_static(%arg0: tensor<4x2xf32>) -> tensor<4x2xf32> {
    %0 = stablehlo.slice %arg0 [3:4, 0:2] : (tensor<4x2xf32>) -> tensor<1x2xf32>
    %1 = stablehlo.slice %arg0 [0:3, 0:2] : (tensor<4x2xf32>) -> tensor<3x2xf32>
    %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<1x2xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
    return %2 : tensor<4x2xf32>
  }
}
