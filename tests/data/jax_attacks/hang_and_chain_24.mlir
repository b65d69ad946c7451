module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3xf32>) -> (tensor<3xf32> {jax.result_info = "result"}) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg0) : tensor<i32>, tensor<3xf32>
    cond {
      %c_1 = stablehlo.constant dense<5> : tensor<i32>
      %1 = stablehlo.compare LT, %iterArg, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_2 = stablehlo.constant dense<false> : tensor<i1>
      %2 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i1>) -> tensor<i1>
      %3 = stablehlo.compare NE, %1, %2, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %4 = stablehlo.convert %3 : tensor<i1>
      %c_3 = stablehlo.constant dense<false> : tensor<i1>
      %5 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i1>) -> tensor<i1>
      %6 = stablehlo.compare NE, %1, %5, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %7 = stablehlo.convert %6 : tensor<i1>
      %8 = stablehlo.and %4, %7 : tensor<i1>
      %9 = stablehlo.and %8, %8 : tensor<i1>
      %10 = stablehlo.and %9, %9 : tensor<i1>
      %11 = stablehlo.and %10, %10 : tensor<i1>
      %12 = stablehlo.and %11, %11 : tensor<i1>
      %13 = stablehlo.and %12, %12 : tensor<i1>
      %14 = stablehlo.and %13, %13 : tensor<i1>
      %15 = stablehlo.and %14, %14 : tensor<i1>
      %16 = stablehlo.and %15, %15 : tensor<i1>
      %17 = stablehlo.and %16, %16 : tensor<i1>
      %18 = stablehlo.and %17, %17 : tensor<i1>
      %19 = stablehlo.and %18, %18 : tensor<i1>
      %20 = stablehlo.and %19, %19 : tensor<i1>
      %21 = stablehlo.and %20, %20 : tensor<i1>
      %22 = stablehlo.and %21, %21 : tensor<i1>
      %23 = stablehlo.and %22, %22 : tensor<i1>
      %24 = stablehlo.and %23, %23 : tensor<i1>
      %25 = stablehlo.and %24, %24 : tensor<i1>
      %26 = stablehlo.and %25, %25 : tensor<i1>
      %27 = stablehlo.and %26, %26 : tensor<i1>
      %28 = stablehlo.and %27, %27 : tensor<i1>
      %29 = stablehlo.and %28, %28 : tensor<i1>
      %30 = stablehlo.and %29, %29 : tensor<i1>
      %31 = stablehlo.and %30, %30 : tensor<i1>
      stablehlo.return %31 : tensor<i1>
    } do {
      %c_1 = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.add %iterArg, %c_1 : tensor<i32>
      %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
      %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %3 = stablehlo.multiply %iterArg_0, %2 : tensor<3xf32>
      stablehlo.return %1, %3 : tensor<i32>, tensor<3xf32>
    }
    return %0#1 : tensor<3xf32>
  }
}
