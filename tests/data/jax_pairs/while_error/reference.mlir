module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x6xf32>) -> (tensor<16x6xf32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %cst = stablehlo.constant dense<1.000000e+03> : tensor<f32>
    %0:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0, %iterArg_1 = %cst) : tensor<i32>, tensor<16x6xf32>, tensor<f32>
    cond {
      %c_2 = stablehlo.constant dense<5> : tensor<i32>
      %2 = stablehlo.compare LT, %iterArg, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %cst_3 = stablehlo.constant dense<3.000000e+01> : tensor<f32>
      %3 = stablehlo.compare GT, %iterArg_1, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %c_4 = stablehlo.constant dense<false> : tensor<i1>
      %4 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i1>) -> tensor<i1>
      %5 = stablehlo.compare NE, %2, %4, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %6 = stablehlo.convert %5 : tensor<i1>
      %7 = stablehlo.and %6, %3 : tensor<i1>
      stablehlo.return %7 : tensor<i1>
    } do {
      %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %2 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16x6xf32>
      %3 = stablehlo.multiply %2, %iterArg_0 : tensor<16x6xf32>
      %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %4 = stablehlo.reduce(%iterArg_0 init: %cst_3) applies stablehlo.add across dimensions = [0] : (tensor<16x6xf32>, tensor<f32>) -> tensor<6xf32>
      %5 = stablehlo.tanh %4 : tensor<6xf32>
      %cst_4 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
      %6 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6xf32>
      %7 = stablehlo.multiply %6, %5 : tensor<6xf32>
      %8 = stablehlo.broadcast_in_dim %7, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
      %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<16x6xf32>
      %10 = stablehlo.add %3, %9 : tensor<16x6xf32>
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %11 = stablehlo.add %iterArg, %c_5 : tensor<i32>
      %12 = stablehlo.subtract %10, %iterArg_0 : tensor<16x6xf32>
      %13 = stablehlo.abs %12 : tensor<16x6xf32>
      %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %14 = stablehlo.reduce(%13 init: %cst_6) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x6xf32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %11, %10, %14 : tensor<i32>, tensor<16x6xf32>, tensor<f32>
    }
    %1 = stablehlo.convert %0#0 : (tensor<i32>) -> tensor<f32>
    return %0#1, %1 : tensor<16x6xf32>, tensor<f32>
  }
}
