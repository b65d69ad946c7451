module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<16x6xf32>, %arg1: tensor<16xi32>) -> (tensor<16x6xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<[0, 2]> : tensor<2xi32>
    %0 = sdy.manual_computation(%c, %arg0, %arg1) in_shardings=[<@mesh, [{}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg2: tensor<2xi32>, %arg3: tensor<4x6xf32>, %arg4: tensor<4xi32>) {
      %c_0 = stablehlo.constant dense<0> : tensor<i32>
      %1 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %2 = stablehlo.compare LT, %arg2, %1, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %c_1 = stablehlo.constant dense<6> : tensor<i32>
      %3 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %4 = stablehlo.add %arg2, %3 : tensor<2xi32>
      %5 = stablehlo.select %2, %4, %arg2 : tensor<2xi1>, tensor<2xi32>
      %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %cst = stablehlo.constant dense<7.000000e+00> : tensor<f32>
      %7 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
      %8 = "stablehlo.scatter"(%arg3, %6, %7) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = false}> ({
      ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
        stablehlo.return %arg6 : tensor<f32>
      }) : (tensor<4x6xf32>, tensor<2x1xi32>, tensor<4x2xf32>) -> tensor<4x6xf32>
      %9 = stablehlo.slice %arg3 [0:4, 0:1] : (tensor<4x6xf32>) -> tensor<4x1xf32>
      %10 = stablehlo.reshape %9 : (tensor<4x1xf32>) -> tensor<4xf32>
      %c_2 = stablehlo.constant dense<1> : tensor<i32>
      %11 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<1xi32>
      %12 = "stablehlo.scatter"(%8, %11, %10) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = true}> ({
      ^bb0(%arg5: tensor<f32>, %arg6: tensor<f32>):
        %13 = stablehlo.multiply %arg5, %arg6 : tensor<f32>
        stablehlo.return %13 : tensor<f32>
      }) : (tensor<4x6xf32>, tensor<1xi32>, tensor<4xf32>) -> tensor<4x6xf32>
      sdy.return %12 : tensor<4x6xf32>
    } : (tensor<2xi32>, tensor<16x6xf32>, tensor<16xi32>) -> tensor<16x6xf32>
    return %0 : tensor<16x6xf32>
  }
}
