module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<8x4xf32>) -> (tensor<8x4xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<2x4xf32>) {
      %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4xf32>
      %2 = stablehlo.iota dim = 0 : tensor<2xi32>
      %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %values, %indices = chlo.top_k(%arg1, k = 2) : tensor<2x4xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
      %c = stablehlo.constant dense<2> : tensor<i32>
      %4 = func.call @remainder(%indices, %c) : (tensor<2x2xi32>, tensor<i32>) -> tensor<2x2xi32>
      %values_0, %indices_1 = chlo.top_k(%arg1, k = 2) : tensor<2x4xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %5 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
      %6 = stablehlo.compare LT, %3, %5, SIGNED : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x1xi1>
      %c_3 = stablehlo.constant dense<2> : tensor<i32>
      %7 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
      %8 = stablehlo.add %3, %7 : tensor<2x1xi32>
      %9 = stablehlo.select %6, %8, %3 : tensor<2x1xi1>, tensor<2x1xi32>
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %10 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
      %11 = stablehlo.compare LT, %4, %10, SIGNED : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
      %c_5 = stablehlo.constant dense<4> : tensor<i32>
      %12 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
      %13 = stablehlo.add %4, %12 : tensor<2x2xi32>
      %14 = stablehlo.select %11, %13, %4 : tensor<2x2xi1>, tensor<2x2xi32>
      %15 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<2x1xi32>) -> tensor<2x2xi32>
      %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<2x2xi32>) -> tensor<2x2x1xi32>
      %17 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<2x2xi32>) -> tensor<2x2x1xi32>
      %18 = stablehlo.concatenate %16, %17, dim = 2 : (tensor<2x2x1xi32>, tensor<2x2x1xi32>) -> tensor<2x2x2xi32>
      %19 = "stablehlo.scatter"(%1, %18, %values_0) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        stablehlo.return %arg3 : tensor<f32>
      }) : (tensor<2x4xf32>, tensor<2x2x2xi32>, tensor<2x2xf32>) -> tensor<2x4xf32>
      sdy.return %19 : tensor<2x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %0 : tensor<8x4xf32>
  }
  func.func private @remainder(%arg0: tensor<2x2xi32>, %arg1: tensor<i32>) -> tensor<2x2xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<2x2xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<2x2xi32>, tensor<2x2xi32>) -> tensor<2x2xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<2x2xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<2x2xi1>, tensor<2x2xi1>) -> tensor<2x2xi1>
    %12 = stablehlo.and %11, %6 : tensor<2x2xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<2x2xi32>
    %14 = stablehlo.add %4, %13 : tensor<2x2xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<2x2xi1>, tensor<2x2xi32>
    return %15 : tensor<2x2xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
}
