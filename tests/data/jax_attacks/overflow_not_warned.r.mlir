module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> (tensor<4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.maximum %arg0, %arg1 : tensor<4xf32>
    %1 = stablehlo.subtract %arg0, %arg1 : tensor<4xf32>
    %2 = stablehlo.compare NE, %1, %1, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %3 = stablehlo.add %arg0, %arg1 : tensor<4xf32>
    %4 = stablehlo.abs %1 : tensor<4xf32>
    %5 = stablehlo.negate %4 : tensor<4xf32>
    %6 = stablehlo.exponential %5 : tensor<4xf32>
    %7 = stablehlo.log_plus_one %6 : tensor<4xf32>
    %8 = stablehlo.add %0, %7 : tensor<4xf32>
    %9 = stablehlo.select %2, %3, %8 : tensor<4xi1>, tensor<4xf32>
    return %9 : tensor<4xf32>
  }
}
