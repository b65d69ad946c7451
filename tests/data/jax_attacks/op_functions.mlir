module @jit_f attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4xf32>) -> (tensor<52xf32> {jax.result_info = "result"}) {
    %cst = stablehlo.constant dense<1.100000e+03> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.divide %arg0, %0 : tensor<4xf32>
    %2 = stablehlo.tan %1 : tensor<4xf32>
    %3 = chlo.sinh %1 : tensor<4xf32> -> tensor<4xf32>
    %4 = chlo.cosh %1 : tensor<4xf32> -> tensor<4xf32>
    %5 = chlo.atan %arg0 : tensor<4xf32> -> tensor<4xf32>
    %6 = chlo.acos %1 : tensor<4xf32> -> tensor<4xf32>
    %7 = chlo.asinh %arg0 : tensor<4xf32> -> tensor<4xf32>
    %8 = stablehlo.abs %arg0 : tensor<4xf32>
    %cst_0 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %10 = stablehlo.add %9, %8 : tensor<4xf32>
    %11 = call @arccosh(%10) : (tensor<4xf32>) -> tensor<4xf32>
    %12 = chlo.atanh %1 : tensor<4xf32> -> tensor<4xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %14 = stablehlo.compare GT, %arg0, %13, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %15 = call @sort(%14) : (tensor<4xi1>) -> tensor<4xi1>
    %16 = stablehlo.convert %15 : (tensor<4xi1>) -> tensor<4xf32>
    %17 = stablehlo.composite "my.double" %arg0 {decomposition = @my.double} : (tensor<4xf32>) -> tensor<4xf32>
    %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %cst_3 = stablehlo.constant dense<0x7F800000> : tensor<f32>
    %18 = chlo.next_after %cst_2, %cst_3 : tensor<f32>, tensor<f32> -> tensor<f32>
    %cst_4 = stablehlo.constant dense<-1.000000e-01> : tensor<f32>
    %19 = call @clip(%1, %cst_4, %18) : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %21 = stablehlo.compare GT, %arg0, %20, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %23 = stablehlo.compare LT, %arg0, %22, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %24 = stablehlo.broadcast_in_dim %21, dims = [1] : (tensor<4xi1>) -> tensor<1x4xi1>
    %25 = stablehlo.broadcast_in_dim %23, dims = [1] : (tensor<4xi1>) -> tensor<1x4xi1>
    %26 = stablehlo.concatenate %24, %25, dim = 0 : (tensor<1x4xi1>, tensor<1x4xi1>) -> tensor<2x4xi1>
    %27 = stablehlo.broadcast_in_dim %arg0, dims = [0] : (tensor<4xf32>) -> tensor<4x1xf32>
    %28 = stablehlo.broadcast_in_dim %arg0, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
    %29 = stablehlo.broadcast_in_dim %27, dims = [0, 1] : (tensor<4x1xf32>) -> tensor<4x4xf32>
    %30 = stablehlo.broadcast_in_dim %28, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %31 = stablehlo.compare LT, %29, %30, FLOAT : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xi1>
    %32 = stablehlo.dot_general %26, %31, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x4xi1>, tensor<4x4xi1>) -> tensor<2x4xi1>
    %33 = stablehlo.convert %32 : (tensor<2x4xi1>) -> tensor<2x4xf32>
    %34 = stablehlo.reshape %33 : (tensor<2x4xf32>) -> tensor<8xf32>
    %35 = stablehlo.concatenate %2, %3, %4, %5, %6, %7, %11, %12, %16, %17, %19, %34, dim = 0 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<8xf32>) -> tensor<52xf32>
    return %35 : tensor<52xf32>
  }
  func.func private @arccosh(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = chlo.acosh %arg0 : tensor<4xf32> -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func private @sort(%arg0: tensor<4xi1>) -> tensor<4xi1> {
    %0 = "stablehlo.sort"(%arg0) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%arg1: tensor<i1>, %arg2: tensor<i1>):
      %1 = stablehlo.compare LT, %arg1, %arg2, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<4xi1>) -> tensor<4xi1>
    return %0 : tensor<4xi1>
  }
  func.func private @my.double(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %1 = stablehlo.multiply %arg0, %0 : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
  func.func private @clip(%arg0: tensor<4xf32>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<4xf32> {
    %0 = stablehlo.convert %arg1 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<4xf32>
    %3 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %4 = stablehlo.minimum %3, %2 : tensor<4xf32>
    return %4 : tensor<4xf32>
  }
}
