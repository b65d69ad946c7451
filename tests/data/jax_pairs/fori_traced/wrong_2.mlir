module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @empty_mesh = <[]> {stablehlo.mesh = {axes = []}}
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  sdy.mesh @mesh_0 = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<3x8xf32>, %arg1: tensor<8x8xf32>, %arg2: tensor<i32> {sdy.sharding = #sdy.sharding<@empty_mesh, []>}) -> (tensor<3x8xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{}, {}]>, <@mesh, [{}, {"x"}]>, <@mesh, []>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%arg3: tensor<3x8xf32>, %arg4: tensor<8x2xf32>, %arg5: tensor<i32>) {
      %c = stablehlo.constant dense<1> : tensor<i32>
      %1 = stablehlo.subtract %arg5, %c : tensor<i32>
      %c_0 = stablehlo.constant dense<0> : tensor<i32>
      %c_1 = stablehlo.constant dense<5> : tensor<i32>
      %2 = func.call @clip(%1, %c_0, %c_1) : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>
      %c_2 = stablehlo.constant dense<0> : tensor<i32>
      %3:4 = stablehlo.while(%iterArg = %arg4, %iterArg_3 = %c_2, %iterArg_4 = %2, %iterArg_5 = %arg3) : tensor<8x2xf32>, tensor<i32>, tensor<i32>, tensor<3x8xf32>
      cond {
        %4 = stablehlo.compare LT, %iterArg_3, %iterArg_4, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %4 : tensor<i1>
      } do {
        %c_6 = stablehlo.constant dense<1> : tensor<i32>
        %4 = stablehlo.add %iterArg_3, %c_6 : tensor<i32>
        %5 = stablehlo.dot_general %iterArg_5, %iterArg, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x8xf32>, tensor<8x2xf32>) -> tensor<3x2xf32>
        %6 = "stablehlo.all_gather"(%5) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> : (tensor<3x2xf32>) -> tensor<3x8xf32>
        %7 = stablehlo.tanh %6 : tensor<3x8xf32>
        %c_7 = stablehlo.constant dense<1> : tensor<i32>
        %8 = stablehlo.add %iterArg_3, %c_7 : tensor<i32>
        %9 = stablehlo.convert %8 : (tensor<i32>) -> tensor<f32>
        %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<f32>) -> tensor<3x8xf32>
        %11 = stablehlo.multiply %7, %10 : tensor<3x8xf32>
        stablehlo.return %iterArg, %4, %iterArg_4, %11 : tensor<8x2xf32>, tensor<i32>, tensor<i32>, tensor<3x8xf32>
      }
      sdy.return %3#3 : tensor<3x8xf32>
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
