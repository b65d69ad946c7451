module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x6xf32>, %arg1: tensor<6x6xf32>) -> (tensor<6xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x6xf32>, tensor<6x6xf32>) -> tensor<16x6xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<16x6xf32>, tensor<f32>) -> tensor<6xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %3 = stablehlo.maximum %2, %1 : tensor<6xf32>
    %4 = stablehlo.is_finite %3 : (tensor<6xf32>) -> tensor<6xi1>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %6 = stablehlo.select %4, %3, %5 : tensor<6xi1>, tensor<6xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<16x6xf32>
    %9 = stablehlo.subtract %0, %8 : tensor<16x6xf32>
    %10 = stablehlo.exponential %9 : tensor<16x6xf32>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst_2) applies stablehlo.add across dimensions = [0] : (tensor<16x6xf32>, tensor<f32>) -> tensor<6xf32>
    %12 = stablehlo.sign %11 : tensor<6xf32>
    %13 = stablehlo.abs %11 : tensor<6xf32>
    %14 = stablehlo.log %13 : tensor<6xf32>
    %15 = stablehlo.add %14, %6 : tensor<6xf32>
    return %15 : tensor<6xf32>
  }
}
