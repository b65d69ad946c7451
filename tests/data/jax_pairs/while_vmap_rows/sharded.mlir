module @jit_by_row attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<16x6xf32>, %arg1: tensor<6x6xf32>) -> (tensor<16x6xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg2: tensor<4x6xf32>, %arg3: tensor<6x6xf32>) {
      %c = stablehlo.constant dense<0> : tensor<i32>
      %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
      %3:4 = stablehlo.while(%iterArg = %arg3, %iterArg_0 = %1, %iterArg_1 = %arg2, %iterArg_2 = %2) : tensor<6x6xf32>, tensor<4xi32>, tensor<4x6xf32>, tensor<4xf32>
      cond {
        %c_3 = stablehlo.constant dense<4> : tensor<i32>
        %4 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %5 = stablehlo.compare LT, %iterArg_0, %4, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
        %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %6 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %7 = stablehlo.compare GT, %iterArg_2, %6, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %c_5 = stablehlo.constant dense<false> : tensor<i1>
        %8 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i1>) -> tensor<4xi1>
        %9 = stablehlo.compare NE, %5, %8, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
        %10 = stablehlo.convert %9 : tensor<4xi1>
        %11 = stablehlo.and %10, %7 : tensor<4xi1>
        %c_6 = stablehlo.constant dense<false> : tensor<i1>
        %12 = stablehlo.reduce(%11 init: %c_6) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
        stablehlo.return %12 : tensor<i1>
      } do {
        %4 = stablehlo.dot_general %iterArg_1, %iterArg, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
        %5 = stablehlo.tanh %4 : tensor<4x6xf32>
        %c_3 = stablehlo.constant dense<1> : tensor<i32>
        %6 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %7 = stablehlo.add %iterArg_0, %6 : tensor<4xi32>
        %8 = stablehlo.subtract %5, %iterArg_1 : tensor<4x6xf32>
        %9 = stablehlo.abs %8 : tensor<4x6xf32>
        %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %10 = stablehlo.reduce(%9 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
        %c_5 = stablehlo.constant dense<4> : tensor<i32>
        %11 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<4xi32>
        %12 = stablehlo.compare LT, %iterArg_0, %11, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
        %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %13 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<4xf32>
        %14 = stablehlo.compare GT, %iterArg_2, %13, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
        %c_7 = stablehlo.constant dense<false> : tensor<i1>
        %15 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i1>) -> tensor<4xi1>
        %16 = stablehlo.compare NE, %12, %15, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
        %17 = stablehlo.convert %16 : tensor<4xi1>
        %18 = stablehlo.and %17, %14 : tensor<4xi1>
        %19 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<4xi1>) -> tensor<4xi1>
        %20 = stablehlo.select %19, %7, %iterArg_0 : tensor<4xi1>, tensor<4xi32>
        %21 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<4xi1>) -> tensor<4x6xi1>
        %22 = stablehlo.select %21, %5, %iterArg_1 : tensor<4x6xi1>, tensor<4x6xf32>
        %23 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<4xi1>) -> tensor<4xi1>
        %24 = stablehlo.select %23, %10, %iterArg_2 : tensor<4xi1>, tensor<4xf32>
        stablehlo.return %iterArg, %20, %22, %24 : tensor<6x6xf32>, tensor<4xi32>, tensor<4x6xf32>, tensor<4xf32>
      }
      sdy.return %3#2 : tensor<4x6xf32>
    } : (tensor<16x6xf32>, tensor<6x6xf32>) -> tensor<16x6xf32>
    return %0 : tensor<16x6xf32>
  }
}
