module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1xf32>) -> (tensor<1xf32> {jax.result_info = "result[0]"}, tensor<2xf32> {jax.result_info = "result[1]"}, tensor<4xf32> {jax.result_info = "result[2]"}) {
    %cst = stablehlo.constant dense<1.250000e+00> : tensor<f32>
    %0 = stablehlo.pad %arg0, %cst, low = [-2], high = [2], interior = [0] : (tensor<1xf32>, tensor<f32>) -> tensor<1xf32>
    %cst_0 = stablehlo.constant dense<1.250000e+00> : tensor<f32>
    %1 = stablehlo.pad %arg0, %cst_0, low = [3], high = [-2], interior = [0] : (tensor<1xf32>, tensor<f32>) -> tensor<2xf32>
    %cst_1 = stablehlo.constant dense<1.250000e+00> : tensor<f32>
    %2 = stablehlo.pad %arg0, %cst_1, low = [-1], high = [4], interior = [1] : (tensor<1xf32>, tensor<f32>) -> tensor<4xf32>
    return %0, %1, %2 : tensor<1xf32>, tensor<2xf32>, tensor<4xf32>
  }
}

