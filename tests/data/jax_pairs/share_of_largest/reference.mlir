module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x6xi32>, %arg1: tensor<16x6xf32>) -> (tensor<6xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<-2147483648> : tensor<i32>
    %0 = stablehlo.reduce(%arg0 init: %c) applies stablehlo.maximum across dimensions = [0] : (tensor<16x6xi32>, tensor<i32>) -> tensor<6xi32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<6xi32>) -> tensor<1x6xi32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x6xi32>) -> tensor<16x6xi32>
    %3 = stablehlo.compare EQ, %arg0, %2, SIGNED : (tensor<16x6xi32>, tensor<16x6xi32>) -> tensor<16x6xi1>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %4 = call @_where(%3, %arg1, %c_0) : (tensor<16x6xi1>, tensor<16x6xf32>, tensor<i32>) -> tensor<16x6xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.reduce(%4 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<16x6xf32>, tensor<f32>) -> tensor<6xf32>
    return %5 : tensor<6xf32>
  }
  func.func private @_where(%arg0: tensor<16x6xi1>, %arg1: tensor<16x6xf32>, %arg2: tensor<i32>) -> tensor<16x6xf32> {
    %0 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<16x6xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<16x6xi1>, tensor<16x6xf32>
    return %2 : tensor<16x6xf32>
  }
}
