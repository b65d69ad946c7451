module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<8xf32>) -> (tensor<8xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%arg1: tensor<2xf32>) {
      %c = stablehlo.constant dense<0> : tensor<i32>
      %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2xf32>
      %3:3 = stablehlo.while(%iterArg = %1, %iterArg_0 = %arg1, %iterArg_1 = %2) : tensor<2xi32>, tensor<2xf32>, tensor<2xf32>
      cond {
        %c_2 = stablehlo.constant dense<1> : tensor<i32>
        %4 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2xi32>
        %5 = stablehlo.compare LT, %iterArg, %4, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
        %6 = stablehlo.abs %iterArg_1 : tensor<2xf32>
        %cst_3 = stablehlo.constant dense<2.000000e-01> : tensor<f32>
        %7 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2xf32>
        %8 = stablehlo.compare GT, %6, %7, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
        %c_4 = stablehlo.constant dense<false> : tensor<i1>
        %9 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i1>) -> tensor<2xi1>
        %10 = stablehlo.compare NE, %5, %9, UNSIGNED : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
        %11 = stablehlo.convert %10 : tensor<2xi1>
        %12 = stablehlo.and %11, %8 : tensor<2xi1>
        %c_5 = stablehlo.constant dense<false> : tensor<i1>
        %13 = stablehlo.reduce(%12 init: %c_5) applies stablehlo.or across dimensions = [0] : (tensor<2xi1>, tensor<i1>) -> tensor<i1>
        stablehlo.return %13 : tensor<i1>
      } do {
        %4 = stablehlo.multiply %iterArg_0, %iterArg_0 : tensor<2xf32>
        %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %5 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<2xf32>
        %6 = stablehlo.add %5, %4 : tensor<2xf32>
        %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %7 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2xf32>
        %8 = stablehlo.divide %7, %6 : tensor<2xf32>
        %9 = stablehlo.add %iterArg_0, %8 : tensor<2xf32>
        %cst_4 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
        %10 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<2xf32>
        %11 = stablehlo.multiply %10, %9 : tensor<2xf32>
        %c_5 = stablehlo.constant dense<1> : tensor<i32>
        %12 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<2xi32>
        %13 = stablehlo.add %iterArg, %12 : tensor<2xi32>
        %14 = stablehlo.subtract %11, %iterArg_0 : tensor<2xf32>
        %c_6 = stablehlo.constant dense<1> : tensor<i32>
        %15 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<2xi32>
        %16 = stablehlo.compare LT, %iterArg, %15, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
        %17 = stablehlo.abs %iterArg_1 : tensor<2xf32>
        %cst_7 = stablehlo.constant dense<2.000000e-01> : tensor<f32>
        %18 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<2xf32>
        %19 = stablehlo.compare GT, %17, %18, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
        %c_8 = stablehlo.constant dense<false> : tensor<i1>
        %20 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i1>) -> tensor<2xi1>
        %21 = stablehlo.compare NE, %16, %20, UNSIGNED : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
        %22 = stablehlo.convert %21 : tensor<2xi1>
        %23 = stablehlo.and %22, %19 : tensor<2xi1>
        %24 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<2xi1>) -> tensor<2xi1>
        %25 = stablehlo.select %24, %13, %iterArg : tensor<2xi1>, tensor<2xi32>
        %26 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<2xi1>) -> tensor<2xi1>
        %27 = stablehlo.select %26, %11, %iterArg_0 : tensor<2xi1>, tensor<2xf32>
        %28 = stablehlo.broadcast_in_dim %23, dims = [0] : (tensor<2xi1>) -> tensor<2xi1>
        %29 = stablehlo.select %28, %14, %iterArg_1 : tensor<2xi1>, tensor<2xf32>
        stablehlo.return %25, %27, %29 : tensor<2xi32>, tensor<2xf32>, tensor<2xf32>
      }
      sdy.return %3#1 : tensor<2xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
