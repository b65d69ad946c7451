module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<8x4xf32>) -> (tensor<8x4xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%arg1: tensor<8x4xf32>) {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
      %2 = stablehlo.iota dim = 0 : tensor<8xi32>
      %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
      %values, %indices = chlo.top_k(%arg1, k = 1) : tensor<8x4xf32> -> (tensor<8x1xf32>, tensor<8x1xi32>)
      %4 = stablehlo.negate %arg1 : tensor<8x4xf32>
      %values_0, %indices_1 = chlo.top_k(%4, k = 1) : tensor<8x4xf32> -> (tensor<8x1xf32>, tensor<8x1xi32>)
      %5 = stablehlo.concatenate %indices, %indices_1, dim = 1 : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x2xi32>
      %6 = stablehlo.slice %arg1 [0:8, 0:2] : (tensor<8x4xf32>) -> tensor<8x2xf32>
      %c = stablehlo.constant dense<0> : tensor<i32>
      %7 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x1xi32>
      %8 = stablehlo.compare LT, %3, %7, SIGNED : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi1>
      %c_2 = stablehlo.constant dense<8> : tensor<i32>
      %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8x1xi32>
      %10 = stablehlo.add %3, %9 : tensor<8x1xi32>
      %11 = stablehlo.select %8, %10, %3 : tensor<8x1xi1>, tensor<8x1xi32>
      %c_3 = stablehlo.constant dense<0> : tensor<i32>
      %12 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<8x2xi32>
      %13 = stablehlo.compare LT, %5, %12, SIGNED : (tensor<8x2xi32>, tensor<8x2xi32>) -> tensor<8x2xi1>
      %c_4 = stablehlo.constant dense<4> : tensor<i32>
      %14 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<8x2xi32>
      %15 = stablehlo.add %5, %14 : tensor<8x2xi32>
      %16 = stablehlo.select %13, %15, %5 : tensor<8x2xi1>, tensor<8x2xi32>
      %17 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<8x1xi32>) -> tensor<8x2xi32>
      %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<8x2xi32>) -> tensor<8x2x1xi32>
      %19 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<8x2xi32>) -> tensor<8x2x1xi32>
      %20 = stablehlo.concatenate %18, %19, dim = 2 : (tensor<8x2x1xi32>, tensor<8x2x1xi32>) -> tensor<8x2x2xi32>
      %21 = "stablehlo.scatter"(%1, %20, %6) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        stablehlo.return %arg3 : tensor<f32>
      }) : (tensor<8x4xf32>, tensor<8x2x2xi32>, tensor<8x2xf32>) -> tensor<8x4xf32>
      sdy.return %21 : tensor<8x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}
