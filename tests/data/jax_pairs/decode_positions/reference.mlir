module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<2x2x2xf32>, %arg1: tensor<2x2x2xf32>, %arg2: tensor<2x2x2xf32>, %arg3: tensor<2x8x2x2xf32>, %arg4: tensor<2x8x2x2xf32>, %arg5: tensor<2xi32>) -> (tensor<2x2x2xf32> {jax.result_info = "result[0]"}, tensor<2x8x2x2xf32> {jax.result_info = "result[1]"}, tensor<2x8x2x2xf32> {jax.result_info = "result[2]"}) {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [0, 2, 3] : (tensor<2x2x2xf32>) -> tensor<2x1x2x2xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %2 = stablehlo.compare LT, %arg5, %1, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_0 = stablehlo.constant dense<8> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %4 = stablehlo.add %arg5, %3 : tensor<2xi32>
    %5 = stablehlo.select %2, %4, %arg5 : tensor<2xi1>, tensor<2xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
    %9 = stablehlo.concatenate %6, %7, %8, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
    %c_3 = stablehlo.constant dense<[7, 0, 0]> : tensor<3xi32>
    %c_4 = stablehlo.constant dense<2147483647> : tensor<i32>
    %10 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %11 = stablehlo.minimum %c_3, %10 : tensor<3xi32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %13 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<2x3xi32>
    %14 = stablehlo.clamp %13, %9, %12 : tensor<2x3xi32>
    %15 = "stablehlo.scatter"(%arg3, %14, %0) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2, 3], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2, 3], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      stablehlo.return %arg7 : tensor<f32>
    }) : (tensor<2x8x2x2xf32>, tensor<2x3xi32>, tensor<2x1x2x2xf32>) -> tensor<2x8x2x2xf32>
    %16 = stablehlo.broadcast_in_dim %arg2, dims = [0, 2, 3] : (tensor<2x2x2xf32>) -> tensor<2x1x2x2xf32>
    %c_6 = stablehlo.constant dense<0> : tensor<i32>
    %17 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %18 = stablehlo.compare LT, %arg5, %17, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_7 = stablehlo.constant dense<8> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %20 = stablehlo.add %arg5, %19 : tensor<2xi32>
    %21 = stablehlo.select %18, %20, %arg5 : tensor<2xi1>, tensor<2xi32>
    %22 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %c_8 = stablehlo.constant dense<0> : tensor<i32>
    %23 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
    %c_9 = stablehlo.constant dense<0> : tensor<i32>
    %24 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
    %25 = stablehlo.concatenate %22, %23, %24, dim = 1 : (tensor<2x1xi32>, tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x3xi32>
    %c_10 = stablehlo.constant dense<[7, 0, 0]> : tensor<3xi32>
    %c_11 = stablehlo.constant dense<2147483647> : tensor<i32>
    %26 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %27 = stablehlo.minimum %c_10, %26 : tensor<3xi32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
    %c_12 = stablehlo.constant dense<0> : tensor<i32>
    %29 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<2x3xi32>
    %30 = stablehlo.clamp %29, %25, %28 : tensor<2x3xi32>
    %31 = "stablehlo.scatter"(%arg4, %30, %16) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2, 3], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1, 2, 3], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      stablehlo.return %arg7 : tensor<f32>
    }) : (tensor<2x8x2x2xf32>, tensor<2x3xi32>, tensor<2x1x2x2xf32>) -> tensor<2x8x2x2xf32>
    %32 = stablehlo.iota dim = 0 : tensor<8xi32>
    %33 = stablehlo.broadcast_in_dim %arg5, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %34 = stablehlo.broadcast_in_dim %32, dims = [1] : (tensor<8xi32>) -> tensor<1x8xi32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1] : (tensor<1x8xi32>) -> tensor<2x8xi32>
    %36 = stablehlo.broadcast_in_dim %33, dims = [0, 1] : (tensor<2x1xi32>) -> tensor<2x8xi32>
    %37 = stablehlo.compare LE, %35, %36, SIGNED : (tensor<2x8xi32>, tensor<2x8xi32>) -> tensor<2x8xi1>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0, 2] : (tensor<2x8xi1>) -> tensor<2x1x8xi1>
    %39 = stablehlo.dot_general %arg0, %15, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [3], precision = [DEFAULT, DEFAULT] : (tensor<2x2x2xf32>, tensor<2x8x2x2xf32>) -> tensor<2x2x8xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %40 = call @_where(%38, %39, %cst) : (tensor<2x1x8xi1>, tensor<2x2x8xf32>, tensor<f32>) -> tensor<2x2x8xf32>
    %cst_13 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %41 = stablehlo.reduce(%40 init: %cst_13) applies stablehlo.maximum across dimensions = [2] : (tensor<2x2x8xf32>, tensor<f32>) -> tensor<2x2xf32>
    %cst_14 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %42 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
    %43 = stablehlo.maximum %42, %41 : tensor<2x2xf32>
    %44 = stablehlo.broadcast_in_dim %43, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2] : (tensor<2x2x1xf32>) -> tensor<2x2x8xf32>
    %46 = stablehlo.subtract %40, %45 : tensor<2x2x8xf32>
    %47 = stablehlo.exponential %46 : tensor<2x2x8xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.reduce(%47 init: %cst_15) applies stablehlo.add across dimensions = [2] : (tensor<2x2x8xf32>, tensor<f32>) -> tensor<2x2xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1] : (tensor<2x2xf32>) -> tensor<2x2x1xf32>
    %50 = stablehlo.broadcast_in_dim %49, dims = [0, 1, 2] : (tensor<2x2x1xf32>) -> tensor<2x2x8xf32>
    %51 = stablehlo.divide %47, %50 : tensor<2x2x8xf32>
    %52 = stablehlo.dot_general %51, %31, batching_dims = [0, 1] x [0, 2], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x2x8xf32>, tensor<2x8x2x2xf32>) -> tensor<2x2x2xf32>
    return %52, %15, %31 : tensor<2x2x2xf32>, tensor<2x8x2x2xf32>, tensor<2x8x2x2xf32>
  }
  func.func private @_where(%arg0: tensor<2x1x8xi1>, %arg1: tensor<2x2x8xf32>, %arg2: tensor<f32>) -> tensor<2x2x8xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1, 2] : (tensor<2x1x8xi1>) -> tensor<2x2x8xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2x2x8xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<2x2x8xi1>, tensor<2x2x8xf32>
    return %3 : tensor<2x2x8xf32>
  }
}
