module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  sdy.mesh @mesh_0 = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<16x6xf32>) -> (tensor<16x6xf32> {jax.result_info = "result[0]"}, tensor<f32> {jax.result_info = "result[1]"}) {
    %0:2 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, []>] manual_axes={"x"} (%arg1: tensor<4x6xf32>) {
      %c = stablehlo.constant dense<0> : tensor<i32>
      %cst = stablehlo.constant dense<1.000000e+03> : tensor<f32>
      %1:3 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg1, %iterArg_1 = %cst) : tensor<i32>, tensor<4x6xf32>, tensor<f32>
      cond {
        %c_2 = stablehlo.constant dense<5> : tensor<i32>
        %3 = stablehlo.compare LT, %iterArg, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        %cst_3 = stablehlo.constant dense<3.000000e+01> : tensor<f32>
        %4 = stablehlo.compare GT, %iterArg_1, %cst_3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %c_4 = stablehlo.constant dense<false> : tensor<i1>
        %5 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i1>) -> tensor<i1>
        %6 = stablehlo.compare NE, %3, %5, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
        %7 = stablehlo.convert %6 : tensor<i1>
        %8 = stablehlo.and %7, %4 : tensor<i1>
        stablehlo.return %8 : tensor<i1>
      } do {
        %cst_2 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
        %3 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x6xf32>
        %4 = stablehlo.multiply %3, %iterArg_0 : tensor<4x6xf32>
        %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %5 = stablehlo.reduce(%iterArg_0 init: %cst_3) applies stablehlo.add across dimensions = [0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
        %6 = "stablehlo.all_reduce"(%5) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
        ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
          %24 = stablehlo.add %arg2, %arg3 : tensor<f32>
          stablehlo.return %24 : tensor<f32>
        }) : (tensor<6xf32>) -> tensor<6xf32>
        %7 = stablehlo.tanh %6 : tensor<6xf32>
        %cst_4 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
        %8 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<6xf32>
        %9 = stablehlo.multiply %8, %7 : tensor<6xf32>
        %10 = stablehlo.broadcast_in_dim %9, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
        %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<4x6xf32>
        %12 = stablehlo.add %4, %11 : tensor<4x6xf32>
        %c_5 = stablehlo.constant dense<1> : tensor<i32>
        %13 = stablehlo.add %iterArg, %c_5 : tensor<i32>
        %14 = stablehlo.subtract %12, %iterArg_0 : tensor<4x6xf32>
        %15 = stablehlo.abs %14 : tensor<4x6xf32>
        %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %16 = stablehlo.reduce(%15 init: %cst_6) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<f32>
        %17 = "stablehlo.collective_permute"(%16) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<f32>) -> tensor<f32>
        %18 = "stablehlo.collective_permute"(%17) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<f32>) -> tensor<f32>
        %19 = "stablehlo.collective_permute"(%18) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3], [3, 0]]> : tensor<4x2xi64>}> : (tensor<f32>) -> tensor<f32>
        %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
        %20 = stablehlo.add %cst_7, %16 : tensor<f32>
        %21 = stablehlo.add %20, %17 : tensor<f32>
        %22 = stablehlo.add %21, %18 : tensor<f32>
        %23 = stablehlo.add %22, %19 : tensor<f32>
        stablehlo.return %13, %12, %23 : tensor<i32>, tensor<4x6xf32>, tensor<f32>
      }
      %2 = stablehlo.convert %1#0 : (tensor<i32>) -> tensor<f32>
      sdy.return %1#1, %2 : tensor<4x6xf32>, tensor<f32>
    } : (tensor<16x6xf32>) -> (tensor<16x6xf32>, tensor<f32>)
    return %0#0, %0#1 : tensor<16x6xf32>, tensor<f32>
  }
}
