module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  sdy.mesh @mesh_0 = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<3x8xf32>, %arg1: tensor<8x8xf32>) -> (tensor<3x8xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{}, {}]>, <@mesh, [{}, {"x"}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%arg2: tensor<3x8xf32>, %arg3: tensor<8x2xf32>) {
      %c = stablehlo.constant dense<0> : tensor<i32>
      %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
      %3:4 = stablehlo.while(%iterArg = %arg3, %iterArg_0 = %1, %iterArg_1 = %arg2, %iterArg_2 = %2) : tensor<8x2xf32>, tensor<3xi32>, tensor<3x8xf32>, tensor<3xf32>
      cond {
        %c_3 = stablehlo.constant dense<4> : tensor<i32>
        %4 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3xi32>
        %5 = stablehlo.compare LT, %iterArg_0, %4, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
        %cst_4 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %6 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<3xf32>
        %7 = stablehlo.compare GT, %iterArg_2, %6, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
        %c_5 = stablehlo.constant dense<false> : tensor<i1>
        %8 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i1>) -> tensor<3xi1>
        %9 = stablehlo.compare NE, %5, %8, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
        %10 = stablehlo.convert %9 : tensor<3xi1>
        %11 = stablehlo.and %10, %7 : tensor<3xi1>
        %c_6 = stablehlo.constant dense<false> : tensor<i1>
        %12 = stablehlo.reduce(%11 init: %c_6) applies stablehlo.or across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
        stablehlo.return %12 : tensor<i1>
      } do {
        %4 = stablehlo.dot_general %iterArg_1, %iterArg, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x8xf32>, tensor<8x2xf32>) -> tensor<3x2xf32>
        %5 = "stablehlo.all_gather"(%4) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<3x2xf32>) -> tensor<3x8xf32>
        %6 = stablehlo.tanh %5 : tensor<3x8xf32>
        %c_3 = stablehlo.constant dense<1> : tensor<i32>
        %7 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i32>) -> tensor<3xi32>
        %8 = stablehlo.add %iterArg_0, %7 : tensor<3xi32>
        %9 = stablehlo.subtract %6, %iterArg_1 : tensor<3x8xf32>
        %10 = stablehlo.abs %9 : tensor<3x8xf32>
        %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %11 = stablehlo.reduce(%10 init: %cst_4) applies stablehlo.add across dimensions = [1] : (tensor<3x8xf32>, tensor<f32>) -> tensor<3xf32>
        %c_5 = stablehlo.constant dense<4> : tensor<i32>
        %12 = stablehlo.broadcast_in_dim %c_5, dims = [] : (tensor<i32>) -> tensor<3xi32>
        %13 = stablehlo.compare LT, %iterArg_0, %12, SIGNED : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi1>
        %cst_6 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
        %14 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3xf32>
        %15 = stablehlo.compare GT, %iterArg_2, %14, FLOAT : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
        %c_7 = stablehlo.constant dense<false> : tensor<i1>
        %16 = stablehlo.broadcast_in_dim %c_7, dims = [] : (tensor<i1>) -> tensor<3xi1>
        %17 = stablehlo.compare NE, %13, %16, UNSIGNED : (tensor<3xi1>, tensor<3xi1>) -> tensor<3xi1>
        %18 = stablehlo.convert %17 : tensor<3xi1>
        %19 = stablehlo.and %18, %15 : tensor<3xi1>
        %20 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
        %21 = stablehlo.select %20, %8, %iterArg_0 : tensor<3xi1>, tensor<3xi32>
        %22 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<3xi1>) -> tensor<3x8xi1>
        %23 = stablehlo.select %22, %6, %iterArg_1 : tensor<3x8xi1>, tensor<3x8xf32>
        %24 = stablehlo.broadcast_in_dim %19, dims = [0] : (tensor<3xi1>) -> tensor<3xi1>
        %25 = stablehlo.select %24, %11, %iterArg_2 : tensor<3xi1>, tensor<3xf32>
        stablehlo.return %iterArg, %21, %23, %25 : tensor<8x2xf32>, tensor<3xi32>, tensor<3x8xf32>, tensor<3xf32>
      }
      sdy.return %3#2 : tensor<3x8xf32>
    } : (tensor<3x8xf32>, tensor<8x8xf32>) -> tensor<3x8xf32>
    return %0 : tensor<3x8xf32>
  }
}
