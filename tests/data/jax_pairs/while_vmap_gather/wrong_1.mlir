module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  sdy.mesh @mesh_0 = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<3x8xf32>, %arg1: tensor<8x8xf32>) -> (tensor<3x8xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{}, {}]>, <@mesh, [{}, {"x"}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%arg2: tensor<3x8xf32>, %arg3: tensor<8x2xf32>) {
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x2xf32>
      %2 = stablehlo.multiply %1, %arg3 : tensor<8x2xf32>
      %c = stablehlo.constant dense<0> : tensor<i32>
      %3 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %4 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %5:4 = stablehlo.while(%iterArg = %2, %iterArg_1 = %3, %iterArg_2 = %arg2, %iterArg_3 = %4) : tensor<8x2xf32>, tensor<3xi32>, tensor<3x8xf32>, tensor<3xf32>
      cond {
        %c_4 = stablehlo.constant dense<4> : tensor<i32>
        %6 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<3xi32>
        %7 = stablehlo.compare LT, %iterArg_1, %6, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
        %cst_5 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %8 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3xf32>
        %9 = stablehlo.compare GT, %iterArg_3, %8, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
        %c_6 = stablehlo.constant dense<false> : tensor<i1>
        %10 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i1>) -> tensor<3xi1>
        %11 = stablehlo.compare NE, %7, %10, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
        %12 = stablehlo.convert %11 : tensor<3xi1>
        %13 = stablehlo.and %12, %9 : tensor<3xi1>
        %c_7 = stablehlo.constant dense<false> : tensor<i1>
        %14 = stablehlo.reduce(%13 init: %c_7) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
        stablehlo.return %14 : tensor<i1>
      } do {
        %6 = stablehlo.dot_general %iterArg_2, %iterArg, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x8xf32>, tensor<8x2xf32>) -> tensor<3x2xf32>
        %7 = "stablehlo.all_gather"(%6) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<3x2xf32>) -> tensor<3x8xf32>
        %8 = stablehlo.tanh %7 : tensor<3x8xf32>
        %c_4 = stablehlo.constant dense<1> : tensor<i32>
        %9 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i32>) -> tensor<3xi32>
        %10 = stablehlo.add %iterArg_1, %9 : tensor<3xi32>
        %11 = stablehlo.subtract %8, %iterArg_2 : tensor<3x8xf32>
        %12 = stablehlo.abs %11 : tensor<3x8xf32>
        %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %13 = stablehlo.reduce(%12 init: %cst_5) applies stablehlo.add across dimensions = [1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<3xf32>
        %c_6 = stablehlo.constant dense<4> : tensor<i32>
        %14 = stablehlo.broadcast_in_dim %c_6, dims = [] : (tensor<i32>) -> tensor<3xi32>
        %15 = stablehlo.compare LT, %iterArg_1, %14, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
        %cst_7 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %16 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3xf32>
        %17 = stablehlo.compare GT, %iterArg_3, %16, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
        %c_8 = stablehlo.constant dense<false> : tensor<i1>
        %18 = stablehlo.broadcast_in_dim %c_8, dims = [] : (tensor<i1>) -> tensor<3xi1>
        %19 = stablehlo.compare NE, %15, %18, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
        %20 = stablehlo.convert %19 : tensor<3xi1>
        %21 = stablehlo.and %20, %17 : tensor<3xi1>
        %22 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
        %23 = stablehlo.select %22, %10, %iterArg_1 : tensor<3xi1>, tensor<3xi32>
        %24 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<3xi1>) -> tensor<3x8xi1>
        %25 = stablehlo.select %24, %8, %iterArg_2 : tensor<3x8xi1>, tensor<3x8xf32>
        %26 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
        %27 = stablehlo.select %26, %13, %iterArg_3 : tensor<3xi1>, tensor<3xf32>
        stablehlo.return %iterArg, %23, %25, %27 : tensor<8x2xf32>, tensor<3xi32>, tensor<3x8xf32>, tensor<3xf32>
      }
      sdy.return %5#2 : tensor<3x8xf32>
    } : (tensor<3x8xf32>, tensor<8x8xf32>) -> tensor<3x8xf32>
    return %0 : tensor<3x8xf32>
  }
}
