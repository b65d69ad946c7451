module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<6x4xf32>, %arg1: tensor<4x4xf32>, %arg2: tensor<4x4x3xf32>) -> (tensor<6x3xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x4xf32>, tensor<4x4xf32>) -> tensor<6x4xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<6x4xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %3 = stablehlo.maximum %2, %1 : tensor<6xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x4xf32>
    %6 = stablehlo.subtract %0, %5 : tensor<6x4xf32>
    %7 = stablehlo.exponential %6 : tensor<6x4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.reduce(%7 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<6x4xf32>, tensor<f32>) -> tensor<6xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x4xf32>
    %11 = stablehlo.divide %7, %10 : tensor<6x4xf32>
    %values, %indices = chlo.top_k(%11, k = 2) : tensor<6x4xf32> -> (tensor<6x2xf32>, tensor<6x2xi32>)
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.reduce(%values init: %cst_2) applies stablehlo.add across dimensions = [1] : (tensor<6x2xf32>, tensor<f32>) -> tensor<6xf32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<6xf32>) -> tensor<6x1xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<6x1xf32>) -> tensor<6x2xf32>
    %15 = stablehlo.divide %values, %14 : tensor<6x2xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %16 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<6x4xf32>
    %17 = stablehlo.iota dim = 0 : tensor<6xi32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<6xi32>) -> tensor<6x1xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %19 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<6x1xi32>
    %20 = stablehlo.compare LT, %18, %19, SIGNED : (tensor<6x1xi32>, tensor<6x1xi32>) -> tensor<6x1xi1>
    %c_4 = stablehlo.constant dense<6> : tensor<i32>
    %21 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<6x1xi32>
    %22 = stablehlo.add %18, %21 : tensor<6x1xi32>
    %23 = stablehlo.select %20, %22, %18 : tensor<6x1xi1>, tensor<6x1xi32>
    %c_5 = stablehlo.constant dense<0> : tensor<i32>
    %24 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<6x2xi32>
    %25 = stablehlo.compare LT, %indices, %24, SIGNED : (tensor<6x2xi32>, tensor<6x2xi32>) -> tensor<6x2xi1>
    %c_6 = stablehlo.constant dense<4> : tensor<i32>
    %26 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<6x2xi32>
    %27 = stablehlo.add %indices, %26 : tensor<6x2xi32>
    %28 = stablehlo.select %25, %27, %indices : tensor<6x2xi1>, tensor<6x2xi32>
    %29 = stablehlo.broadcast_in_dim %23, dims = [0, 1] : (tensor<6x1xi32>) -> tensor<6x2xi32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1] : (tensor<6x2xi32>) -> tensor<6x2x1xi32>
    %31 = stablehlo.broadcast_in_dim %28, dims = [0, 1] : (tensor<6x2xi32>) -> tensor<6x2x1xi32>
    %32 = stablehlo.concatenate %30, %31, dim = 2 : (tensor<6x2x1xi32>, tensor<6x2x1xi32>) -> tensor<6x2x2xi32>
    %33 = "stablehlo.scatter"(%16, %32, %15) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg3: tensor<f32>, %arg4: tensor<f32>):
      stablehlo.return %arg4 : tensor<f32>
    }) : (tensor<6x4xf32>, tensor<6x2x2xi32>, tensor<6x2xf32>) -> tensor<6x4xf32>
    %34 = stablehlo.dot_general %arg2, %arg0, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x4x3xf32>, tensor<6x4xf32>) -> tensor<4x3x6xf32>
    %35 = stablehlo.transpose %34, dims = [0, 2, 1] : (tensor<4x3x6xf32>) -> tensor<4x6x3xf32>
    %36 = call @silu(%35) : (tensor<4x6x3xf32>) -> tensor<4x6x3xf32>
    %37 = stablehlo.dot_general %33, %36, batching_dims = [0] x [1], contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<6x4xf32>, tensor<4x6x3xf32>) -> tensor<6x3xf32>
    return %37 : tensor<6x3xf32>
  }
  func.func private @silu(%arg0: tensor<4x6x3xf32>) -> tensor<4x6x3xf32> {
    %0 = stablehlo.negate %arg0 : tensor<4x6x3xf32>
    %1 = stablehlo.exponential %0 : tensor<4x6x3xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x6x3xf32>
    %3 = stablehlo.add %2, %1 : tensor<4x6x3xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x6x3xf32>
    %5 = stablehlo.divide %4, %3 : tensor<4x6x3xf32>
    %6 = stablehlo.multiply %arg0, %5 : tensor<4x6x3xf32>
    return %6 : tensor<4x6x3xf32>
  }
}
