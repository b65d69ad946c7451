module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<8x3xf32>, %arg1: tensor<8xi32>) -> (tensor<8x3xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{}, {}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%arg2: tensor<8x3xf32>, %arg3: tensor<8xi32>) {
      %1 = func.call @argsort(%arg3) : (tensor<8xi32>) -> tensor<8xi32>
      %c = stablehlo.constant dense<0> : tensor<i32>
      %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %3 = stablehlo.compare LT, %1, %2, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
      %c_0 = stablehlo.constant dense<8> : tensor<i32>
      %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %5 = stablehlo.add %1, %4 : tensor<8xi32>
      %6 = stablehlo.select %3, %5, %1 : tensor<8xi1>, tensor<8xi32>
      %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
      %8 = "stablehlo.gather"(%arg2, %7) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}> : (tensor<8x3xf32>, tensor<8x1xi32>) -> tensor<8x3xf32>
      %9 = stablehlo.broadcast_in_dim %1, dims = [1] : (tensor<8xi32>) -> tensor<1x8xi32>
      %10 = func.call @argsort_0(%9) : (tensor<1x8xi32>) -> tensor<1x8xi32>
      %11 = stablehlo.reshape %10 : (tensor<1x8xi32>) -> tensor<8xi32>
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %12 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %13 = stablehlo.compare LT, %11, %12, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
      %c_2 = stablehlo.constant dense<8> : tensor<i32>
      %14 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %15 = stablehlo.add %11, %14 : tensor<8xi32>
      %16 = stablehlo.select %13, %15, %11 : tensor<8xi1>, tensor<8xi32>
      %17 = stablehlo.broadcast_in_dim %16, dims = [0] : (tensor<8xi32>) -> tensor<8x1xi32>
      %18 = "stablehlo.gather"(%8, %17) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 3>}> : (tensor<8x3xf32>, tensor<8x1xi32>) -> tensor<8x3xf32>
      sdy.return %18 : tensor<8x3xf32>
    } : (tensor<8x3xf32>, tensor<8xi32>) -> tensor<8x3xf32>
    return %0 : tensor<8x3xf32>
  }
  func.func private @argsort(%arg0: tensor<8xi32>) -> tensor<8xi32> {
    %0 = stablehlo.iota dim = 0 : tensor<8xi32>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
      %2 = stablehlo.compare LT, %arg1, %arg2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) : (tensor<8xi32>, tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>)
    return %1#1 : tensor<8xi32>
  }
  func.func private @argsort_0(%arg0: tensor<1x8xi32>) -> tensor<1x8xi32> {
    %0 = stablehlo.iota dim = 1 : tensor<1x8xi32>
    %1:2 = "stablehlo.sort"(%arg0, %0) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>, %arg3: tensor<i32>, %arg4: tensor<i32>):
      %2 = stablehlo.compare LT, %arg1, %arg2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) : (tensor<1x8xi32>, tensor<1x8xi32>) -> (tensor<1x8xi32>, tensor<1x8xi32>)
    return %1#1 : tensor<1x8xi32>
  }
}

