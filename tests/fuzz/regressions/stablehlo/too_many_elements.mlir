module @mhlo.num_replicas attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["space"=4]> {stablehlo.mesh = {axes = [{name = "space", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<2x16x4xf32>, %arg1: tensor<3x4x9223372036854775807xf32>) -> (tensor<2x16x6xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{}, {"space"}, {}]>, <@mesh, [{}, {}, {}]>] out_shardings=[<@mesh, [{}, {"space"}, {}]>] manual_axes={"space"} (%arg2: tensor<2x4x4xf32>, %arg3: tensor<3x4x6xf32>) {
      %1 = stablehlo.slice %arg2 [0:2, 3:4, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
      %2 = "stablehlo.collective_permute"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[1, 0],stablehlo.channel_handle[23 1], [3, 2]]> : tensor<3x2xi64>}> : (tensor<0x1x4xf32>) -> tensor<2x1x4xf32>
      %3 = stablehlo.slice %arg2 [0:2, 0:1, 0:4] : (tensor<2x4x4xf32>) -> tensor<2x1x4xf32>
      %4 = "stablehlo.collective_permute"(%3) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 2], [2, 3]]> : tensor<3x2xi64>}> : (tensor<2x1x4xf32>) -> tensor<2x1x4xf32>
      %5 = stablehlo.concatenate %2, %arg2, %4, dim = 1 : (tensor<2x1x4xf32>, tensor<2x4x4xf32>, tensor<2x1x4xf32>) -> tensor<2x6x4xf32>
      sdy.return %6 : tensor<2x4x6xf32>
    } : (tensor<2x16x4xf32>, tensor<3x4x6xf32>) -> tensor<2x16x6xf32>
    return %0 : tensor<2x16x6xf32>
  }
}
