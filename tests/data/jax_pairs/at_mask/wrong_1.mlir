module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<16x6xf32>, %arg1: tensor<3xi32>) -> (tensor<16x6xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg2: tensor<4x6xf32>, %arg3: tensor<3xi32>) {
      %1 = stablehlo.slice %arg3 [0:2] : (tensor<3xi32>) -> tensor<2xi32>
      %c = stablehlo.constant dense<0> : tensor<i32>
      %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %3 = stablehlo.compare LT, %1, %2, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %c_0 = stablehlo.constant dense<6> : tensor<i32>
      %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %5 = stablehlo.add %1, %4 : tensor<2xi32>
      %6 = stablehlo.select %3, %5, %1 : tensor<2xi1>, tensor<2xi32>
      %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
      %9 = "stablehlo.scatter"(%arg2, %7, %8) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = false}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        stablehlo.return %arg5 : tensor<f32>
      }) : (tensor<4x6xf32>, tensor<2x1xi32>, tensor<4x2xf32>) -> tensor<4x6xf32>
      sdy.return %9 : tensor<4x6xf32>
    } : (tensor<16x6xf32>, tensor<3xi32>) -> tensor<16x6xf32>
    return %0 : tensor<16x6xf32>
  }
}
