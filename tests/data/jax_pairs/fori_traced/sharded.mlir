module @jit_layers attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @empty_mesh = <[]> {stablehlo.mesh = {axes = []}}
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  sdy.mesh @mesh_0 = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<3x8xf32>, %arg1: tensor<8x8xf32>, %arg2: tensor<i32> {sdy.sharding = #sdy.sharding<@empty_mesh, []>}) -> (tensor<3x8xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{}, {}]>, <@mesh, [{}, {"x"}]>, <@mesh, []>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%arg3: tensor<3x8xf32>, %arg4: tensor<8x2xf32>, %arg5: tensor<i32>) {
      %c = stablehlo.constant dense<0> : tensor<i32>
      %c_0 = stablehlo.constant dense<5> : tensor<i32>
      %1 = func.call @clip(%arg5, %c, %c_0) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      %2:4 = stablehlo.while(%iterArg = %arg4, %iterArg_2 = %c_1, %iterArg_3 = %1, %iterArg_4 = %arg3) : tensor<8x2xf32>, tensor<i32>, tensor<i32>, tensor<3x8xf32>
      cond {
        %3 = stablehlo.compare LT, %iterArg_2, %iterArg_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %3 : tensor<i1>
      } do {
        %c_5 = stablehlo.constant dense<1> : tensor<i32>
        %3 = stablehlo.add %iterArg_2, %c_5 : tensor<i32>
        %4 = stablehlo.dot_general %iterArg_4, %iterArg, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x8xf32>, tensor<8x2xf32>) -> tensor<3x2xf32>
        %5 = "stablehlo.all_gather"(%4) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<3x2xf32>) -> tensor<3x8xf32>
        %6 = stablehlo.tanh %5 : tensor<3x8xf32>
        %c_6 = stablehlo.constant dense<1> : tensor<i32>
        %7 = stablehlo.add %iterArg_2, %c_6 : tensor<i32>
        %8 = stablehlo.convert %7 : (tensor<i32>) -> tensor<f32>
        %9 = stablehlo.broadcast_in_dim %8, dims = [] : (tensor<f32>) -> tensor<3x8xf32>
        %10 = stablehlo.multiply %6, %9 : tensor<3x8xf32>
        stablehlo.return %iterArg, %3, %iterArg_3, %10 : tensor<8x2xf32>, tensor<i32>, tensor<i32>, tensor<3x8xf32>
      }
      sdy.return %2#3 : tensor<3x8xf32>
    } : (tensor<3x8xf32>, tensor<8x8xf32>, tensor<i32>) -> tensor<3x8xf32>
    return %0 : tensor<3x8xf32>
  }
  func.func private @clip(%arg0: tensor<i32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %1 = stablehlo.maximum %0, %arg0 : tensor<i32>
    %2 = stablehlo.convert %arg2 : tensor<i32>
    %3 = stablehlo.minimum %2, %1 : tensor<i32>
    return %3 : tensor<i32>
  }
}
