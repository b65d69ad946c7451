module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["i"=4]> {stablehlo.mesh = {axes = [{name = "i", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<8xi32>) -> (tensor<8xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<[[3.000000e+00, 6.000000e+00, -9.000000e+00, -6.000000e+00], [-6.000000e+00, -2.000000e+00, 0.000000e+00, 9.000000e+00], [-5.000000e+00, -3.000000e+00, 3.000000e+00, -8.000000e+00], [-3.000000e+00, -2.000000e+00, 5.000000e+00, 8.000000e+00], [-4.000000e+00, 4.000000e+00, -1.000000e+00, 0.000000e+00], [7.000000e+00, -4.000000e+00, 6.000000e+00, 6.000000e+00], [-9.000000e+00, 9.000000e+00, -6.000000e+00, 8.000000e+00], [5.000000e+00, -2.000000e+00, -9.000000e+00, -8.000000e+00]]> : tensor<8x4xf32>
    %0 = sdy.manual_computation(%cst, %arg0) in_shardings=[<@mesh, [{}, {}]>, <@mesh, [{"i"}]>] out_shardings=[<@mesh, [{"i"}]>] manual_axes={"i"} (%arg1: tensor<8x4xf32>, %arg2: tensor<2xi32>) {
      %c = stablehlo.constant dense<1> : tensor<ui32>
      %c_0 = stablehlo.constant dense<4> : tensor<ui32>
      %1 = stablehlo.partition_id : tensor<ui32>
      %2 = stablehlo.divide %1, %c : tensor<ui32>
      %3 = stablehlo.remainder %2, %c_0 : tensor<ui32>
      %4 = stablehlo.convert %3 : (tensor<ui32>) -> tensor<i32>
      %c_1 = stablehlo.constant dense<2> : tensor<i32>
      %5 = stablehlo.multiply %c_1, %4 : tensor<i32>
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %6 = stablehlo.compare LT, %5, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_3 = stablehlo.constant dense<8> : tensor<i32>
      %7 = stablehlo.add %5, %c_3 : tensor<i32>
      %8 = stablehlo.select %6, %7, %5 : tensor<i1>, tensor<i32>
      %c_4 = stablehlo.constant dense<0> : tensor<i32>
      %9 = stablehlo.dynamic_slice %arg1, %8, %c_4, sizes = [2, 4] : (tensor<8x4xf32>, tensor<i32>, tensor<i32>) -> tensor<2x4xf32>
      %c_5 = stablehlo.constant dense<-100> : tensor<i32>
      %10 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %11 = stablehlo.compare EQ, %arg2, %10, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %c_6 = stablehlo.constant dense<0> : tensor<i32>
      %12 = func.call @_where(%11, %c_6, %arg2) : (tensor<2xi1>, tensor<i32>, tensor<2xi32>) -> tensor<2xi32>
      %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %14 = func.call @take_along_axis(%9, %13) : (tensor<2x4xf32>, tensor<2x1xi32>) -> tensor<2x1xf32>
      %15 = stablehlo.reshape %14 : (tensor<2x1xf32>) -> tensor<2xf32>
      %c_7 = stablehlo.constant dense<-100> : tensor<i32>
      %16 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %17 = stablehlo.compare NE, %arg2, %16, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %18 = stablehlo.convert %17 : (tensor<2xi1>) -> tensor<2xf32>
      %19 = stablehlo.multiply %15, %18 : tensor<2xf32>
      sdy.return %19 : tensor<2xf32>
    } : (tensor<8x4xf32>, tensor<8xi32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func private @_where(%arg0: tensor<2xi1>, %arg1: tensor<i32>, %arg2: tensor<2xi32>) -> tensor<2xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<2xi1>, tensor<2xi32>
    return %2 : tensor<2xi32>
  }
  func.func private @take_along_axis(%arg0: tensor<2x4xf32>, %arg1: tensor<2x1xi32>) -> tensor<2x1xf32> {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x1xi1>
    %c_0 = stablehlo.constant dense<4> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<2x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<2x1xi1>, tensor<2x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<2x1xi32>) -> tensor<2x1x1xi32>
    %c_1 = stablehlo.constant dense<3> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<2x1x1xi32>, tensor<2x1x1xi32>) -> tensor<2x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<2x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<2x1x1xi32>, tensor<2x1x1xi32>) -> tensor<2x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<2x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<2x1x1xi1>, tensor<i1>) -> tensor<2x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<2x4xf32>, tensor<2x1x1xi32>) -> tensor<2x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<2x1xi1>, tensor<2x1xf32>
    return %15 : tensor<2x1xf32>
  }
}
