module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> (tensor<3xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.negate %arg0 : tensor<3xf32>
    %1 = stablehlo.multiply %arg1, %arg1 : tensor<3xf32>
    %cst = stablehlo.constant dense<-1.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %3 = stablehlo.subtract %2, %1 : tensor<3xf32>
    %4 = stablehlo.atan2 %0, %3 : tensor<3xf32>
    return %4 : tensor<3xf32>
  }
}
