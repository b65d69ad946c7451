module @jit__lambda attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  sdy.mesh @mesh_0 = <["x"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 4 : i64}]}}
  func.func public @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x3xf32>) -> (tensor<4x3xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{}, {"x"}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%arg2: tensor<4x2xf32>, %arg3: tensor<2x3xf32>) {
      %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x2xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
      %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %24 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %24 : tensor<f32>
      }) : (tensor<4x3xf32>) -> tensor<4x3xf32>
      %3 = stablehlo.negate %2 : tensor<4x3xf32>
      %4 = stablehlo.tanh %3 : tensor<4x3xf32>
      %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
      %6 = stablehlo.divide %4, %5 : tensor<4x3xf32>
      %7 = stablehlo.tan %6 : tensor<4x3xf32>
      %8 = chlo.sinh %6 : tensor<4x3xf32> -> tensor<4x3xf32>
      %9 = chlo.cosh %6 : tensor<4x3xf32> -> tensor<4x3xf32>
      %10 = stablehlo.multiply %8, %9 : tensor<4x3xf32>
      %11 = stablehlo.add %7, %10 : tensor<4x3xf32>
      %12 = chlo.atan %3 : tensor<4x3xf32> -> tensor<4x3xf32>
      %13 = stablehlo.add %11, %12 : tensor<4x3xf32>
      %14 = chlo.acos %6 : tensor<4x3xf32> -> tensor<4x3xf32>
      %15 = stablehlo.add %13, %14 : tensor<4x3xf32>
      %16 = chlo.asinh %3 : tensor<4x3xf32> -> tensor<4x3xf32>
      %17 = stablehlo.add %15, %16 : tensor<4x3xf32>
      %cst_0 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %18 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
      %19 = stablehlo.add %18, %6 : tensor<4x3xf32>
      %20 = func.call @arccosh(%19) : (tensor<4x3xf32>) -> tensor<4x3xf32>
      %21 = stablehlo.add %17, %20 : tensor<4x3xf32>
      %22 = chlo.atanh %6 : tensor<4x3xf32> -> tensor<4x3xf32>
      %23 = stablehlo.add %21, %22 : tensor<4x3xf32>
      sdy.return %23 : tensor<4x3xf32>
    } : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
  func.func private @arccosh(%arg0: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %0 = chlo.acosh %arg0 : tensor<4x3xf32> -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
}
