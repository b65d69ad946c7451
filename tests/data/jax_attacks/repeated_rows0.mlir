module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<8x4xf32>) -> (tensor<8x4xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%arg1: tensor<8x4xf32>) {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x4xf32>
      %2 = stablehlo.iota dim = 0 : tensor<8xi32>
      %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
      %c = stablehlo.constant dense<0> : tensor<i32>
      %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8x1xi32>
      %5 = stablehlo.multiply %4, %3 : tensor<8x1xi32>
      %values, %indices = chlo.top_k(%arg1, k = 2) : tensor<8x4xf32> -> (tensor<8x2xf32>, tensor<8x2xi32>)
      %values_0, %indices_1 = chlo.top_k(%arg1, k = 2) : tensor<8x4xf32> -> (tensor<8x2xf32>, tensor<8x2xi32>)
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8x1xi32>
      %7 = stablehlo.compare LT, %5, %6, SIGNED : (tensor<8x1xi32>, tensor<8x1xi32>) -> tensor<8x1xi1>
      %c_3 = stablehlo.constant dense<8> : tensor<i32>
      %8 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<8x1xi32>
      %9 = stablehlo.add %5, %8 : tensor<8x1xi32>
      %10 = stablehlo.select %7, %9, %5 : tensor<8x1xi1>, tensor<8x1xi32>
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %11 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<8x2xi32>
      %12 = stablehlo.compare LT, %indices, %11, SIGNED : (tensor<8x2xi32>, tensor<8x2xi32>) -> tensor<8x2xi1>
      %c_5 = stablehlo.constant dense<4> : tensor<i32>
      %13 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<8x2xi32>
      %14 = stablehlo.add %indices, %13 : tensor<8x2xi32>
      %15 = stablehlo.select %12, %14, %indices : tensor<8x2xi1>, tensor<8x2xi32>
      %16 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<8x1xi32>) -> tensor<8x2xi32>
      %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<8x2xi32>) -> tensor<8x2x1xi32>
      %18 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<8x2xi32>) -> tensor<8x2x1xi32>
      %19 = stablehlo.concatenate %17, %18, dim = 2 : (tensor<8x2x1xi32>, tensor<8x2x1xi32>) -> tensor<8x2x2xi32>
      %20 = "stablehlo.scatter"(%1, %19, %values_0) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        stablehlo.return %arg3 : tensor<f32>
      }) : (tensor<8x4xf32>, tensor<8x2x2xi32>, tensor<8x2xf32>) -> tensor<8x4xf32>
      sdy.return %20 : tensor<8x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
}
