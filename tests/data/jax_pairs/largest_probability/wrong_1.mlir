module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  sdy.mesh @mesh_0 = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<16x6xf32>) -> (tensor<6xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg1: tensor<4x6xf32>) {
      %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %1 = stablehlo.reduce(%arg1 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
      %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %18 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
        stablehlo.return %18 : tensor<f32>
      }) : (tensor<6xf32>) -> tensor<6xf32>
      %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
      %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<4x6xf32>
      %5 = stablehlo.subtract %arg1, %4 : tensor<4x6xf32>
      %6 = stablehlo.exponential %5 : tensor<4x6xf32>
      %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
      %7 = stablehlo.reduce(%6 init: %cst_0) applies stablehlo.add across dimensions = [0] : (tensor<4x6xf32>, tensor<f32>) -> tensor<6xf32>
      %8 = "stablehlo.all_reduce"(%7) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %18 = stablehlo.add %arg2, %arg3 : tensor<f32>
        stablehlo.return %18 : tensor<f32>
      }) : (tensor<6xf32>) -> tensor<6xf32>
      %9 = stablehlo.log %8 : tensor<6xf32>
      %10 = stablehlo.add %9, %2 : tensor<6xf32>
      %11 = stablehlo.broadcast_in_dim %10, dims = [1] : (tensor<6xf32>) -> tensor<1x6xf32>
      %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x6xf32>) -> tensor<4x6xf32>
      %13 = stablehlo.subtract %arg1, %12 : tensor<4x6xf32>
      %14 = stablehlo.exponential %13 : tensor<4x6xf32>
      %15 = stablehlo.slice %14 [1:4, 0:6] : (tensor<4x6xf32>) -> tensor<3x6xf32>
      %cst_1 = stablehlo.constant dense<0xFF800000> : tensor<f32>
      %16 = stablehlo.reduce(%15 init: %cst_1) applies stablehlo.maximum across dimensions = [0] : (tensor<3x6xf32>, tensor<f32>) -> tensor<6xf32>
      %17 = "stablehlo.all_reduce"(%16) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %18 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
        stablehlo.return %18 : tensor<f32>
      }) : (tensor<6xf32>) -> tensor<6xf32>
      sdy.return %17 : tensor<6xf32>
    } : (tensor<16x6xf32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
}
