module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  sdy.mesh @mesh_0 = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x3xf32>) -> (tensor<4x3xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{}, {"x"}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%arg2: tensor<4x2xf32>, %arg3: tensor<2x3xf32>) {
      %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
      %2 = stablehlo.tanh %1 : tensor<4x3xf32>
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
      %4 = stablehlo.divide %2, %3 : tensor<4x3xf32>
      %5 = stablehlo.tan %4 : tensor<4x3xf32>
      %6 = chlo.sinh %4 : tensor<4x3xf32> -> tensor<4x3xf32>
      %7 = chlo.cosh %4 : tensor<4x3xf32> -> tensor<4x3xf32>
      %8 = stablehlo.multiply %6, %7 : tensor<4x3xf32>
      %9 = stablehlo.add %5, %8 : tensor<4x3xf32>
      %10 = chlo.atan %1 : tensor<4x3xf32> -> tensor<4x3xf32>
      %11 = stablehlo.add %9, %10 : tensor<4x3xf32>
      %12 = chlo.acos %4 : tensor<4x3xf32> -> tensor<4x3xf32>
      %13 = stablehlo.add %11, %12 : tensor<4x3xf32>
      %14 = chlo.asinh %1 : tensor<4x3xf32> -> tensor<4x3xf32>
      %15 = stablehlo.add %13, %14 : tensor<4x3xf32>
      %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %16 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
      %17 = stablehlo.add %16, %4 : tensor<4x3xf32>
      %18 = func.call @arccosh(%17) : (tensor<4x3xf32>) -> tensor<4x3xf32>
      %19 = stablehlo.add %15, %18 : tensor<4x3xf32>
      %20 = chlo.atanh %4 : tensor<4x3xf32> -> tensor<4x3xf32>
      %21 = stablehlo.add %19, %20 : tensor<4x3xf32>
      %22 = "stablehlo.all_reduce"(%21) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %23 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %23 : tensor<f32>
      }) : (tensor<4x3xf32>) -> tensor<4x3xf32>
      sdy.return %22 : tensor<4x3xf32>
    } : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
  func.func private @arccosh(%arg0: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %0 = chlo.acosh %arg0 : tensor<4x3xf32> -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
