module @jit_newton attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<8xf32>) -> (tensor<8xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<8xi32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %2:3 = stablehlo.while(%iterArg = %0, %iterArg_0 = %arg0, %iterArg_1 = %1) : tensor<8xi32>, tensor<8xf32>, tensor<8xf32>
    cond {
      %c_2 = stablehlo.constant dense<6> : tensor<i32>
      %3 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %4 = stablehlo.compare LT, %iterArg, %3, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
      %5 = stablehlo.abs %iterArg_1 : tensor<8xf32>
      %cst_3 = stablehlo.constant dense<2.000000e-01> : tensor<f32>
      %6 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %7 = stablehlo.compare GT, %5, %6, FLOAT : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
      %c_4 = stablehlo.constant dense<false> : tensor<i1>
      %8 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i1>) -> tensor<8xi1>
      %9 = stablehlo.compare NE, %4, %8, UNSIGNED : (tensor<8xi1>, tensor<8xi1>) -> tensor<8xi1>
      %10 = stablehlo.convert %9 : tensor<8xi1>
      %11 = stablehlo.and %10, %7 : tensor<8xi1>
      %c_5 = stablehlo.constant dense<false> : tensor<i1>
      %12 = stablehlo.reduce(%11 init: %c_5) applies stablehlo.or across dimensions = [0] : (tensor<8xi1>, tensor<i1>) -> tensor<i1>
      stablehlo.return %12 : tensor<i1>
    } do {
      %3 = stablehlo.multiply %iterArg_0, %iterArg_0 : tensor<8xf32>
      %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %5 = stablehlo.add %4, %3 : tensor<8xf32>
      %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %6 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %7 = stablehlo.divide %6, %5 : tensor<8xf32>
      %8 = stablehlo.add %iterArg_0, %7 : tensor<8xf32>
      %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %9 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %10 = stablehlo.multiply %9, %8 : tensor<8xf32>
      %c_5 = stablehlo.constant dense<1> : tensor<i32>
      %11 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %12 = stablehlo.add %iterArg, %11 : tensor<8xi32>
      %13 = stablehlo.subtract %10, %iterArg_0 : tensor<8xf32>
      %c_6 = stablehlo.constant dense<6> : tensor<i32>
      %14 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<8xi32>
      %15 = stablehlo.compare LT, %iterArg, %14, SIGNED : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
      %16 = stablehlo.abs %iterArg_1 : tensor<8xf32>
      %cst_7 = stablehlo.constant dense<2.000000e-01> : tensor<f32>
      %17 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<8xf32>
      %18 = stablehlo.compare GT, %16, %17, FLOAT : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xi1>
      %c_8 = stablehlo.constant dense<false> : tensor<i1>
      %19 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i1>) -> tensor<8xi1>
      %20 = stablehlo.compare NE, %15, %19, UNSIGNED : (tensor<8xi1>, tensor<8xi1>) -> tensor<8xi1>
      %21 = stablehlo.convert %20 : tensor<8xi1>
      %22 = stablehlo.and %21, %18 : tensor<8xi1>
      %23 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<8xi1>) -> tensor<8xi1>
      %24 = stablehlo.select %23, %12, %iterArg : tensor<8xi1>, tensor<8xi32>
      %25 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<8xi1>) -> tensor<8xi1>
      %26 = stablehlo.select %25, %10, %iterArg_0 : tensor<8xi1>, tensor<8xf32>
      %27 = stablehlo.broadcast_in_dim %22, dims = [0] : (tensor<8xi1>) -> tensor<8xi1>
      %28 = stablehlo.select %27, %13, %iterArg_1 : tensor<8xi1>, tensor<8xf32>
      stablehlo.return %24, %26, %28 : tensor<8xi32>, tensor<8xf32>, tensor<8xf32>
    }
    return %2#1 : tensor<8xf32>
  }
}
