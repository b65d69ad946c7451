module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x6xf32>, %arg1: tensor<6x6xf32>) -> (tensor<6xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x6xf32>, tensor<6x6xf32>) -> tensor<16x6xf32>
    %1 = stablehlo.slice %0 [0:13, 0:6] : (tensor<16x6xf32>) -> tensor<13x6xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %2 = stablehlo.reduce(%1 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<13x6xf32>, tensor<f32>) -> tensor<6xf32>
    return %2 : tensor<6xf32>
  }
}
