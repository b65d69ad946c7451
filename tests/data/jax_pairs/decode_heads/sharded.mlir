module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<2x4x2xf32>, %arg1: tensor<2x4x2xf32>, %arg2: tensor<2x4x2xf32>, %arg3: tensor<2x8x4x2xf32>, %arg4: tensor<2x8x4x2xf32>, %arg5: tensor<2xi32>) -> (tensor<2x4x2xf32> {jax.result_info = "result[0]"}, tensor<2x8x4x2xf32> {jax.result_info = "result[1]"}, tensor<2x8x4x2xf32> {jax.result_info = "result[2]"}) {
    %0:3 = sdy.manual_computation(%arg0, %arg1, %arg2, %arg3, %arg4, %arg5) in_shardings=[<@mesh, [{}, {"x"}, {}]>, <@mesh, [{}, {"x"}, {}]>, <@mesh, [{}, {"x"}, {}]>, <@mesh, [{}, {}, {"x"}, {}]>, <@mesh, [{}, {}, {"x"}, {}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{}, {"x"}, {}]>, <@mesh, [{}, {}, {"x"}, {}]>, <@mesh, [{}, {}, {"x"}, {}]>] manual_axes={"x"} (%arg6: tensor<2x1x2xf32>, %arg7: tensor<2x1x2xf32>, %arg8: tensor<2x1x2xf32>, %arg9: tensor<2x8x1x2xf32>, %arg10: tensor<2x8x1x2xf32>, %arg11: tensor<2xi32>) {
      %1 = stablehlo.broadcast_in_dim %arg7, dims = [0, 2, 3] : (tensor<2x1x2xf32>) -> tensor<2x1x1x2xf32>
      %c = stablehlo.constant dense<0> : tensor<i32>
      %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %3 = stablehlo.compare LT, %arg11, %2, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %c_0 = stablehlo.constant dense<8> : tensor<i32>
      %4 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %5 = stablehlo.add %arg11, %4 : tensor<2xi32>
      %6 = stablehlo.select %3, %5, %arg11 : tensor<2xi1>, tensor<2xi32>
      %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %8 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %9 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
      %10 = stablehlo.concatenate %7, %8, %9, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
      %c_3 = stablehlo.constant dense<[7, 0, 0]> : tensor<3xi32>
      %c_4 = stablehlo.constant dense<2147483647> : tensor<i32>
      %11 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %12 = stablehlo.minimum %c_3, %11 : tensor<3xi32>
      %13 = stablehlo.broadcast_in_dim %12, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
      %c_5 = stablehlo.constant dense<0> : tensor<i32>
      %14 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<2x3xi32>
      %15 = stablehlo.clamp %14, %10, %13 : tensor<2x3xi32>
      %16 = "stablehlo.scatter"(%arg9, %15, %1) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2, 3], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2, 3], index_vector_dim = 1>, unique_indices = true}> ({
      ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
        stablehlo.return %arg13 : tensor<f32>
      }) : (tensor<2x8x1x2xf32>, tensor<2x3xi32>, tensor<2x1x1x2xf32>) -> tensor<2x8x1x2xf32>
      %17 = stablehlo.broadcast_in_dim %arg8, dims = [0, 2, 3] : (tensor<2x1x2xf32>) -> tensor<2x1x1x2xf32>
      %c_6 = stablehlo.constant dense<0> : tensor<i32>
      %18 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %19 = stablehlo.compare LT, %arg11, %18, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %c_7 = stablehlo.constant dense<8> : tensor<i32>
      %20 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %21 = stablehlo.add %arg11, %20 : tensor<2xi32>
      %22 = stablehlo.select %19, %21, %arg11 : tensor<2xi1>, tensor<2xi32>
      %23 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %c_8 = stablehlo.constant dense<0> : tensor<i32>
      %24 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
      %c_9 = stablehlo.constant dense<0> : tensor<i32>
      %25 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
      %26 = stablehlo.concatenate %23, %24, %25, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
      %c_10 = stablehlo.constant dense<[7, 0, 0]> : tensor<3xi32>
      %c_11 = stablehlo.constant dense<2147483647> : tensor<i32>
      %27 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %28 = stablehlo.minimum %c_10, %27 : tensor<3xi32>
      %29 = stablehlo.broadcast_in_dim %28, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
      %c_12 = stablehlo.constant dense<0> : tensor<i32>
      %30 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<2x3xi32>
      %31 = stablehlo.clamp %30, %26, %29 : tensor<2x3xi32>
      %32 = "stablehlo.scatter"(%arg10, %31, %17) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2, 3], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2, 3], index_vector_dim = 1>, unique_indices = true}> ({
      ^bb0(%arg12: tensor<f32>, %arg13: tensor<f32>):
        stablehlo.return %arg13 : tensor<f32>
      }) : (tensor<2x8x1x2xf32>, tensor<2x3xi32>, tensor<2x1x1x2xf32>) -> tensor<2x8x1x2xf32>
      %33 = stablehlo.iota dim = 0 : tensor<8xi32>
      %34 = stablehlo.broadcast_in_dim %arg11, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %35 = stablehlo.broadcast_in_dim %33, dims = [1] : (tensor<8xi32>) -> tensor<1x8xi32>
      %36 = stablehlo.broadcast_in_dim %35, dims = [0, 1] : (tensor<1x8xi32>) -> tensor<2x8xi32>
      %37 = stablehlo.broadcast_in_dim %34, dims = [0, 1] : (tensor<2x1xi32>) -> tensor<2x8xi32>
      %38 = stablehlo.compare LE, %36, %37, SIGNED : (tensor<2x8xi32>, tensor<2x8xi32>) -> tensor<2x8xi1>
      %39 = stablehlo.broadcast_in_dim %38, dims = [0, 2] : (tensor<2x8xi1>) -> tensor<2x1x8xi1>
      %40 = stablehlo.dot_general %arg6, %16, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x1x2xf32>, tensor<2x8x1x2xf32>) -> tensor<2x1x8xf32>
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %41 = func.call @_where(%39, %40, %cst) : (tensor<2x1x8xi1>, tensor<2x1x8xf32>, tensor<f32>) -> tensor<2x1x8xf32>
      %cst_13 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %42 = stablehlo.reduce(%41 init: %cst_13) applies stablehlo.maximum across dimensions = [2] : (tensor<2x1x8xf32>, tensor<f32>) -> tensor<2x1xf32>
      %cst_14 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %43 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<2x1xf32>
      %44 = stablehlo.maximum %43, %42 : tensor<2x1xf32>
      %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x1x1xf32>
      %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2] : (tensor<2x1x1xf32>) -> tensor<2x1x8xf32>
      %47 = stablehlo.subtract %41, %46 : tensor<2x1x8xf32>
      %48 = stablehlo.exponential %47 : tensor<2x1x8xf32>
      %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %49 = stablehlo.reduce(%48 init: %cst_15) applies stablehlo.add across dimensions = [2] : (tensor<2x1x8xf32>, tensor<f32>) -> tensor<2x1xf32>
      %50 = stablehlo.broadcast_in_dim %49, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x1x1xf32>
      %51 = stablehlo.broadcast_in_dim %50, dims = [0, 1, 2] : (tensor<2x1x1xf32>) -> tensor<2x1x8xf32>
      %52 = stablehlo.divide %48, %51 : tensor<2x1x8xf32>
      %53 = stablehlo.dot_general %52, %32, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x1x8xf32>, tensor<2x8x1x2xf32>) -> tensor<2x1x2xf32>
      sdy.return %53, %16, %32 : tensor<2x1x2xf32>, tensor<2x8x1x2xf32>, tensor<2x8x1x2xf32>
    } : (tensor<2x4x2xf32>, tensor<2x4x2xf32>, tensor<2x4x2xf32>, tensor<2x8x4x2xf32>, tensor<2x8x4x2xf32>, tensor<2xi32>) -> (tensor<2x4x2xf32>, tensor<2x8x4x2xf32>, tensor<2x8x4x2xf32>)
    return %0#0, %0#1, %0#2 : tensor<2x4x2xf32>, tensor<2x8x4x2xf32>, tensor<2x8x4x2xf32>
  }
  func.func private @_where(%arg0: tensor<2x1x8xi1>, %arg1: tensor<2x1x8xf32>, %arg2: tensor<f32>) -> tensor<2x1x8xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x1x8xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<2x1x8xi1>, tensor<2x1x8xf32>
    return %2 : tensor<2x1x8xf32>
  }
}
