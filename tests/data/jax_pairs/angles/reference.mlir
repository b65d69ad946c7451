module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x3xf32>) -> (tensor<4x3xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
    %1 = stablehlo.tanh %0 : tensor<4x3xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %3 = stablehlo.divide %1, %2 : tensor<4x3xf32>
    %4 = stablehlo.tan %3 : tensor<4x3xf32>
    %5 = chlo.sinh %3 : tensor<4x3xf32> -> tensor<4x3xf32>
    %6 = chlo.cosh %3 : tensor<4x3xf32> -> tensor<4x3xf32>
    %7 = stablehlo.multiply %5, %6 : tensor<4x3xf32>
    %8 = stablehlo.add %4, %7 : tensor<4x3xf32>
    %9 = chlo.atan %0 : tensor<4x3xf32> -> tensor<4x3xf32>
    %10 = stablehlo.add %8, %9 : tensor<4x3xf32>
    %11 = chlo.acos %3 : tensor<4x3xf32> -> tensor<4x3xf32>
    %12 = stablehlo.add %10, %11 : tensor<4x3xf32>
    %13 = chlo.asinh %0 : tensor<4x3xf32> -> tensor<4x3xf32>
    %14 = stablehlo.add %12, %13 : tensor<4x3xf32>
    %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
    %16 = stablehlo.add %15, %3 : tensor<4x3xf32>
    %17 = call @arccosh(%16) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    %18 = stablehlo.add %14, %17 : tensor<4x3xf32>
    %19 = chlo.atanh %3 : tensor<4x3xf32> -> tensor<4x3xf32>
    %20 = stablehlo.add %18, %19 : tensor<4x3xf32>
    return %20 : tensor<4x3xf32>
  }
  func.func private @arccosh(%arg0: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %0 = chlo.acosh %arg0 : tensor<4x3xf32> -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
