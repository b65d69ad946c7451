module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x4xf32>, %arg1: tensor<16x4xf32>, %arg2: tensor<16x4xf32>) -> (tensor<16x4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<16x4xf32>) -> tensor<1x16x4xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1, 2] : (tensor<16x4xf32>) -> tensor<1x16x4xf32>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [1, 2] : (tensor<16x4xf32>) -> tensor<1x16x4xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0, 2, 3] : (tensor<1x16x4xf32>) -> tensor<1x1x16x4xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x1x16x4xf32>) -> tensor<1x16x4xf32>
    %5 = stablehlo.broadcast_in_dim %2, dims = [0, 2, 3] : (tensor<1x16x4xf32>) -> tensor<1x1x16x4xf32>
    %6 = stablehlo.reshape %5 : (tensor<1x1x16x4xf32>) -> tensor<1x16x4xf32>
    %7 = stablehlo.iota dim = 0 : tensor<16xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %9 = stablehlo.add %8, %7 : tensor<16xi32>
    %10 = stablehlo.iota dim = 0 : tensor<16xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %11 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %12 = stablehlo.add %11, %10 : tensor<16xi32>
    %13 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %14 = stablehlo.broadcast_in_dim %12, dims = [1] : (tensor<16xi32>) -> tensor<1x16xi32>
    %15 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<16x1xi32>) -> tensor<16x16xi32>
    %16 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<1x16xi32>) -> tensor<16x16xi32>
    %17 = stablehlo.compare GE, %15, %16, SIGNED : (tensor<16x16xi32>, tensor<16x16xi32>) -> tensor<16x16xi1>
    %18 = stablehlo.dot_general %0, %4, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<1x16x4xf32>, tensor<1x16x4xf32>) -> tensor<1x16x16xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %19 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x16x16xf32>
    %20 = stablehlo.divide %18, %19 : tensor<1x16x16xf32>
    %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %21 = call @_where(%17, %20, %cst_1) : (tensor<16x16xi1>, tensor<1x16x16xf32>, tensor<f32>) -> tensor<1x16x16xf32>
    %cst_2 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %22 = stablehlo.reduce(%21 init: %cst_2) applies stablehlo.maximum across dimensions = [2] : (tensor<1x16x16xf32>, tensor<f32>) -> tensor<1x16xf32>
    %cst_3 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %23 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1x16xf32>
    %24 = stablehlo.maximum %23, %22 : tensor<1x16xf32>
    %25 = stablehlo.broadcast_in_dim %24, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<1x16x1xf32>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<1x16x1xf32>) -> tensor<1x16x16xf32>
    %27 = stablehlo.subtract %21, %26 : tensor<1x16x16xf32>
    %28 = stablehlo.exponential %27 : tensor<1x16x16xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.reduce(%28 init: %cst_4) applies stablehlo.add across dimensions = [2] : (tensor<1x16x16xf32>, tensor<f32>) -> tensor<1x16xf32>
    %30 = stablehlo.broadcast_in_dim %29, dims = [0, 1] : (tensor<1x16xf32>) -> tensor<1x16x1xf32>
    %31 = stablehlo.broadcast_in_dim %30, dims = [0, 1, 2] : (tensor<1x16x1xf32>) -> tensor<1x16x16xf32>
    %32 = stablehlo.divide %28, %31 : tensor<1x16x16xf32>
    %33 = stablehlo.reshape %32 : (tensor<1x16x16xf32>) -> tensor<16x16xf32>
    %34 = stablehlo.reshape %6 : (tensor<1x16x4xf32>) -> tensor<16x4xf32>
    %35 = stablehlo.dot_general %33, %34, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x16xf32>, tensor<16x4xf32>) -> tensor<16x4xf32>
    %36 = stablehlo.broadcast_in_dim %35, dims = [1, 2] : (tensor<16x4xf32>) -> tensor<1x16x4xf32>
    %37 = stablehlo.reshape %36 : (tensor<1x16x4xf32>) -> tensor<16x4xf32>
    return %37 : tensor<16x4xf32>
  }
  func.func private @_where(%arg0: tensor<16x16xi1>, %arg1: tensor<1x16x16xf32>, %arg2: tensor<f32>) -> tensor<1x16x16xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [1, 2] : (tensor<16x16xi1>) -> tensor<1x16x16xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<1x16x16xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<1x16x16xi1>, tensor<1x16x16xf32>
    return %3 : tensor<1x16x16xf32>
  }
}
