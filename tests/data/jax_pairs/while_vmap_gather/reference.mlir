module @jit_by_row attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x8xf32>, %arg1: tensor<8x8xf32>) -> (tensor<3x8xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %2:4 = stablehlo.while(%iterArg = %arg1, %iterArg_0 = %0, %iterArg_1 = %arg0, %iterArg_2 = %1) : tensor<8x8xf32>, tensor<3xi32>, tensor<3x8xf32>, tensor<3xf32>
    cond {
      %c_3 = stablehlo.constant dense<4> : tensor<i32>
      %3 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %4 = stablehlo.compare LT, %iterArg_0, %3, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %5 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %6 = stablehlo.compare GT, %iterArg_2, %5, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %c_5 = stablehlo.constant dense<false> : tensor<i1>
      %7 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i1>) -> tensor<3xi1>
      %8 = stablehlo.compare NE, %4, %7, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
      %9 = stablehlo.convert %8 : tensor<3xi1>
      %10 = stablehlo.and %9, %6 : tensor<3xi1>
      %c_6 = stablehlo.constant dense<false> : tensor<i1>
      %11 = stablehlo.reduce(%10 init: %c_6) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %11 : tensor<i1>
    } do {
      %3 = stablehlo.dot_general %iterArg_1, %iterArg, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x8xf32>, tensor<8x8xf32>) -> tensor<3x8xf32>
      %4 = stablehlo.tanh %3 : tensor<3x8xf32>
      %c_3 = stablehlo.constant dense<1> : tensor<i32>
      %5 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %6 = stablehlo.add %iterArg_0, %5 : tensor<3xi32>
      %7 = stablehlo.subtract %4, %iterArg_1 : tensor<3x8xf32>
      %8 = stablehlo.abs %7 : tensor<3x8xf32>
      %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %9 = stablehlo.reduce(%8 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<3xf32>
      %c_5 = stablehlo.constant dense<4> : tensor<i32>
      %10 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %11 = stablehlo.compare LT, %iterArg_0, %10, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
      %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %12 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %13 = stablehlo.compare GT, %iterArg_2, %12, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
      %c_7 = stablehlo.constant dense<false> : tensor<i1>
      %14 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i1>) -> tensor<3xi1>
      %15 = stablehlo.compare NE, %11, %14, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
      %16 = stablehlo.convert %15 : tensor<3xi1>
      %17 = stablehlo.and %16, %13 : tensor<3xi1>
      %18 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %19 = stablehlo.select %18, %6, %iterArg_0 : tensor<3xi1>, tensor<3xi32>
      %20 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<3xi1>) -> tensor<3x8xi1>
      %21 = stablehlo.select %20, %4, %iterArg_1 : tensor<3x8xi1>, tensor<3x8xf32>
      %22 = stablehlo.broadcast_in_dim %17, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
      %23 = stablehlo.select %22, %9, %iterArg_2 : tensor<3xi1>, tensor<3xf32>
      stablehlo.return %iterArg, %19, %21, %23 : tensor<8x8xf32>, tensor<3xi32>, tensor<3x8xf32>, tensor<3xf32>
    }
    return %2#2 : tensor<3x8xf32>
  }
}
