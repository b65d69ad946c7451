module @jit_pmax_reference attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8x4xf32>) -> (tensor<8x4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.reshape %arg0 : (tensor<8x4xf32>) -> tensor<4x2x4xf32>
    %1 = stablehlo.slice %0 [0:1, 0:2, 0:4] : (tensor<4x2x4xf32>) -> tensor<1x2x4xf32>
    %2 = stablehlo.reshape %1 : (tensor<1x2x4xf32>) -> tensor<2x4xf32>
    %3 = stablehlo.slice %0 [1:2, 0:2, 0:4] : (tensor<4x2x4xf32>) -> tensor<1x2x4xf32>
    %4 = stablehlo.reshape %3 : (tensor<1x2x4xf32>) -> tensor<2x4xf32>
    %5 = stablehlo.slice %0 [2:3, 0:2, 0:4] : (tensor<4x2x4xf32>) -> tensor<1x2x4xf32>
    %6 = stablehlo.reshape %5 : (tensor<1x2x4xf32>) -> tensor<2x4xf32>
    %7 = stablehlo.slice %0 [3:4, 0:2, 0:4] : (tensor<4x2x4xf32>) -> tensor<1x2x4xf32>
    %8 = stablehlo.reshape %7 : (tensor<1x2x4xf32>) -> tensor<2x4xf32>
    %9 = stablehlo.maximum %2, %8 : tensor<2x4xf32>
    %10 = stablehlo.maximum %4, %6 : tensor<2x4xf32>
    %11 = stablehlo.maximum %4, %6 : tensor<2x4xf32>
    %12 = stablehlo.maximum %2, %8 : tensor<2x4xf32>
    %13 = stablehlo.concatenate %9, %10, %11, %12, dim = 0 : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<8x4xf32>
    return %13 : tensor<8x4xf32>
  }
}
