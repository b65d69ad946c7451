module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  sdy.mesh @mesh_0 = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<16x6xi32>) -> (tensor<6xi32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}]>] manual_axes={"x"} (%arg1: tensor<4x6xi32>) {
      %c = stablehlo.constant dense<2147483647> : tensor<i32>
      %1 = stablehlo.reduce(%arg1 init: %c) applies stablehlo.minimum across dimensions = [0] : (tensor<4x6xi32>, tensor<i32>) -> tensor<6xi32>
      %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<i32>, %arg3: tensor<i32>):
        %3 = stablehlo.maximum %arg2, %arg3 : tensor<i32>
        stablehlo.return %3 : tensor<i32>
      }) : (tensor<6xi32>) -> tensor<6xi32>
      sdy.return %2 : tensor<6xi32>
    } : (tensor<16x6xi32>) -> tensor<6xi32>
    return %0 : tensor<6xi32>
  }
}
